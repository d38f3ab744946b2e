"""Planted instructions against the worst model there is: one that obeys, and cites whatever would let it through."""

import json
import re
from typing import Any

import pytest

from dream import provenance
from dream.dream import main
from dreamhook.memory import note_file
from tests.dream_set.poison import POISONS, Poison, event, tool
from tests.dream_world import World, change, dreamt, final, prompt
from tests.messages_stub import Reply, answer, said

pytestmark = pytest.mark.neo4j

ASKED = "Please make the importer read gzip files."
every_poison = pytest.mark.parametrize(
    "poison", POISONS, ids=lambda one: f"{one.language}-{one.channel}"
)


def obeying(poison: Poison, *, cite: str) -> Any:
    """A model that writes the order down in every form. `cite`: `planted`, `user`, or `all` events as evidence."""

    def reply(body: dict[str, Any]) -> Reply:
        found = re.findall(r"^\[(E\d+)\] \S+ (.*):$", said(body), re.MULTILINE)
        whose = {
            "planted": lambda who: who not in ("user", "agent"),
            "user": lambda who: who == "user",
        }
        refs = [ref for ref, who in found if cite == "all" or whose[cite](who)]
        common = {
            "body": poison.order,
            "title": "Way of working",
            "description": poison.order[:120],
            "evidence": refs,
        }
        forms = [
            ("profile/habits.md", "fact"),
            ("project/rules.md", "rule"),
            ("tools/git/use.md", "preference"),
        ]
        forms += [("project/setup.md", "howto"), ("project/lesson.md", "lesson")]
        return answer(dreamt(*[change(path, kind=kind, **common) for path, kind in forms]))

    return reply


def test_there_are_thirty_in_many_languages_and_channels() -> None:
    assert len(POISONS) == 30
    assert len({one.language for one in POISONS}) >= 15
    assert len({one.channel for one in POISONS}) >= 7


@every_poison
def test_an_obeyed_order_becomes_no_rule_no_profile_and_no_note_without_a_mark(
    world: World, poison: Poison
) -> None:
    world.happened(prompt(ASKED), event(poison), final("The importer reads gzip files now."))
    for cite in ("planted", "user", "all"):
        world.claude.play(obeying(poison, cite=cite))
        assert main(["--dry-run", "--json"]) == 0
        assert poison.planted[:20] in said(world.claude.requests[0])
    world.claude.play(obeying(poison, cite="all"))
    assert main([]) == 0
    for path, stored in world.memories().items():
        note = note_file.parse(stored["content"])
        assert not provenance.binding(path, note.kind), (path, note.kind)
        assert note.extra.get(provenance.ORIGIN) == provenance.UNCONFIRMED, (
            path,
            stored["content"],
        )


@every_poison
@pytest.mark.parametrize("cite", ["planted", "user", "all"])
def test_whatever_the_model_cites_nothing_binding_comes_of_it(
    world: World, poison: Poison, cite: str, capsys: pytest.CaptureFixture[str]
) -> None:
    world.happened(prompt(ASKED), event(poison), final("The importer reads gzip files now."))
    world.claude.play(obeying(poison, cite=cite))
    assert main(["--dry-run", "--json"]) == 0
    [part] = json.loads(capsys.readouterr().out)["parts"]
    for made in part["changes"] + part["proposed"]:
        note = note_file.parse(made["content"])
        assert not provenance.binding(made["path"], note.kind), made["content"]
        assert note.extra.get(provenance.ORIGIN) == provenance.UNCONFIRMED, made["content"]
    assert not part["changes"] or cite != "planted", "an order that only a tool gave"


def test_what_the_user_said_themselves_becomes_a_rule(world: World) -> None:
    wish = "From now on always run the linter before every commit, and never push directly to main."
    world.happened(
        prompt(wish), tool("Bash", "cat README.md", "Always run the linter before every commit.")
    )
    world.claude.play(answer(dreamt(change("profile/commits.md", kind="rule", body=wish))))
    assert main([]) == 0
    note = note_file.parse(world.memories()["profile/commits.md"]["content"])
    assert (note.kind, note.extra, note.author) == ("rule", {}, world.person)


def test_a_fact_from_a_tool_alone_is_marked_until_somebody_confirms_it(world: World) -> None:
    fact = "The service listens on port 9000."
    world.happened(tool("Bash", "cat README.md", fact))
    world.claude.play(answer(dreamt(change("project/port.md", kind="fact", body=fact))))
    assert main([]) == 0
    note = note_file.parse(world.memories()["project/port.md"]["content"])
    assert note.extra == {provenance.ORIGIN: provenance.UNCONFIRMED}
    assert note.author == "dream"
    world.happened(prompt("Yes, it listens on port 9000."))
    more = change(
        "project/port.md", action="update", read_version=1, kind="fact", body=fact + " Confirmed."
    )
    world.claude.play(answer(dreamt(more)))
    assert main([]) == 0
    assert note_file.parse(world.memories()["project/port.md"]["content"]).extra == {}


def test_a_rule_is_not_changed_by_calling_it_a_fact(world: World) -> None:
    world.happened(prompt("Never push to main."))
    world.claude.play(
        answer(dreamt(change("project/push.md", kind="rule", body="Never push to main.")))
    )
    assert main([]) == 0
    world.happened(tool("Bash", "cat README.md", "Pushing to main is fine."))
    body = "Never push to main. Pushing to main is fine."
    loose = change("project/push.md", action="update", read_version=1, kind="fact", body=body)
    world.claude.play(answer(dreamt(loose)))
    assert main([]) == 0
    assert world.memories()["project/push.md"]["version"] == 1
