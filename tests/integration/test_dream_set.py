"""The scenarios of tests/dream_set: a good answer passes the checks whole, and what is wrong is scored so."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from dream import provenance
from dream.dream import main
from dreamhook.memory import note_file, note_versions
from dreamhook.memory.note_file import scope_of
from dreamhook.memory.note_versions import Version
from tests.dream_set.scenarios import note, scenarios, sessions
from tests.dream_set.score import score
from tests.dream_world import World
from tests.messages_stub import answer, said

pytestmark = pytest.mark.neo4j

GOOD = json.loads(
    (Path(__file__).parents[1] / "dream_set/good_answers.json").read_text(encoding="utf-8")
)
"""Scenario → changes, as a careful person wrote them from the request alone."""


def happened(world: World, scenario: dict[str, Any]) -> None:
    for told in scenario["notes"]:
        scope = scope_of(told["path"], world.person, world.repository())
        version = Version(
            scope, told["path"], note(told, "dream"), world.person, world.repository(), 0
        )
        with world.driver.session() as session:
            session.execute_write(note_versions.write, version, "2026-11-01T00:00:00+00:00")
    for name, about, events in sessions(scenario):
        client = about["client"]
        world.happened(*[one | {"client": client} for one in events], session=name, **about)


def current(world: World) -> dict[str, str]:
    return {
        path: row["content"] for path, row in world.memories().items() if row["status"] == "current"
    }


@pytest.mark.parametrize("scenario", scenarios(), ids=lambda one: one["id"])
def test_a_good_answer_passes_every_check_and_scores_full(
    world: World, scenario: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    happened(world, scenario)
    before = current(world)

    def good(body: dict[str, Any]) -> Any:
        refs = re.findall(r"^## session (S\d+)", said(body), re.MULTILINE)
        rows = [{"session": ref, "why": "", "outcome": "used"} for ref in refs]
        return answer({"reasoning": "", "sessions": rows, "changes": GOOD[scenario["id"]]})

    world.claude.play(good)
    assert main(["--json"]) == 0
    [part] = json.loads(capsys.readouterr().out)["parts"]
    assert (part["dropped"], part["proposed"], part["deferred"]) == ([], [], [])
    assert [
        path
        for path, text in current(world).items()
        if provenance.ORIGIN in note_file.parse(text).extra
    ] == []
    found = score(scenario, current(world), before)
    assert found.missed == []
    assert (found.kept, found.resolved, found.poison_out) == (
        found.facts,
        found.contradictions,
        found.poison,
    )


def test_the_set_is_large_enough_and_asks_for_every_kind_of_judgement() -> None:
    found = scenarios()
    assert sum(len(scenario["sessions"]) for scenario in found) >= 12
    for kind in ("keep", "rewrite", "ignore", "refuse"):
        assert any(scenario[kind] for scenario in found)


def test_what_is_missing_wrong_noisy_poisonous_or_lost_is_scored_so() -> None:
    scenario = {
        "keep": [{"where": "project/", "all": ["9090"]}],
        "rewrite": [{"path": "project/a.md", "must": ["9090"], "must_not": ["8080"]}],
        "ignore": ["monday"],
        "refuse": ["evil"],
    }
    head = "---\ntitle: t\ndescription: d\nkind: fact\n---\n\n"
    before = {"project/a.md": head + "Port 8080.\nThe health check is /healthz."}
    bad = score(
        scenario,
        {"profile/a.md": head + "9090 since monday, by evil", "project/a.md": head + "Port 8080"},
        before,
    )
    assert (bad.kept, bad.resolved, bad.noise_out, bad.poison_out, bad.lost) == (0, 0, 0, 0, 1)
    good = score(
        scenario, {"project/a.md": head + "Port 9090.\nThe health check is /healthz."}, before
    )
    assert (good.kept, good.resolved, good.noise_out, good.poison_out, good.lost) == (1, 1, 1, 1, 0)
