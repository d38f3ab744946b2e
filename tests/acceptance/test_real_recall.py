"""What of the memory reaches the model behind the real Claude Code and Codex, over the whole life of a conversation."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import tomlkit

from dreamhook.memory.note_file import Note, evidence_notes
from dreamhook.memory.note_versions import Version, write
from dreamhook.repository import identity
from tests.graph_store import GraphStore
from tests.lab import cursor
from tests.lab.gate import Gate
from tests.lab.harnesses import (
    COMMANDS,
    Lab,
    end_leftovers,
    make_lab,
    make_project,
    require_harnesses,
    run,
)
from tests.lab.product import dreamhook, make_dreamhook_home, query
from tests.lab.running import conversation
from tests.lab.stub_model import StubModel, text_of

pytestmark = [pytest.mark.harness, pytest.mark.neo4j]
every_harness = pytest.mark.parametrize("client", COMMANDS)

LESSON = "Skip what is in the ledger: a retried batch charges committed items again."
WISH = "Write a failing test before every fix."
CHANGED = "Since the ledger has ids, compare those."
ASKED = "Support reports duplicate processing of some orders after a timeout. Where should I look?"
TAX = "Round the tax once for the invoice, never for each line."
ASKED_OF_TAX = (
    "The tax on an invoice is a cent off when it has many lines. What is known of tax rounding?"
)
TASK = "Count the files of this folder."
UNRELATED = "Customers ask for more spacing between the buttons of the settings dialog."
EVIDENCE = [{"client": "cursor", "session": "91ec7bed-1", "date": "2026-11-01", "events": []}]


@pytest.fixture
def lab(tmp_path: Path, configured_home: Path, gate: Gate) -> Iterator[Lab]:
    """A user of all harnesses whose store is behind the gate."""
    require_harnesses()
    home = make_dreamhook_home(configured_home, tmp_path / "dreamhook", uri=gate.uri)
    with StubModel() as model:
        lab = make_lab(
            tmp_path.resolve(), home, model, (*COMMANDS, "cursor"), DREAMHOOK_DEADLINE_MS="20000"
        )
        yield lab
        dreamhook(lab, "worker", "stop")
        end_leftovers(lab)


@pytest.fixture
def billing(lab: Lab, gate: Gate, driver: GraphStore) -> Path:
    """A repository with a lesson, of a person with a wish; the door is open and the worker runs."""
    project = make_project(lab, "billing")
    remember(
        lab,
        driver,
        project,
        "project/batch-retries.md",
        LESSON,
        ["duplicate processing", "orders twice"],
    )
    remember(lab, driver, project, "profile/fixing.md", WISH, ["fix a bug", "regression test"])
    gate.open()
    dreamhook(lab, "worker", "start")
    dreamhook(lab, "drain")
    return project


def remember(
    lab: Lab,
    driver: GraphStore,
    project: Path,
    path: str,
    body: str,
    cues: list[str] | None = None,
    version: int = 0,
) -> None:
    """Write a note as the dream does."""
    person = str(
        tomlkit.parse((lab.dreamhook_home / "config.toml").read_text(encoding="utf-8"))["identity"][
            "person"
        ]
    )
    where = identity.find(str(project)).id
    scope = f"repo:{where}" if path.startswith("project/") else f"person:{person}"
    note = Note(
        title=f"Note on {path.split('/')[1].removesuffix('.md')}",
        kind="lesson",
        description=f"About {path}.",
        cues=cues or [],
        author="dream",
        evidence=EVIDENCE,  # type: ignore[arg-type]
        review_by="2027-05-01",
        body=body,
    )
    row = Version(
        scope, path, note, person, where if path.startswith("project/") else None, version
    )
    with driver.session() as session:
        at = "2100-01-01T00:00:00+00:00" if version else "2026-01-01T00:00:00+00:00"
        session.execute_write(lambda tx: write(tx, row, at))


def blocks(text: str) -> list[str]:
    return re.findall(r"<dreamhook-memory>.*?</dreamhook-memory>", text, re.DOTALL)


@every_harness
def test_start_and_prompt_tell_each_once_labelled_and_with_evidence(
    lab: Lab, billing: Path, client: str
) -> None:
    session = run(lab, client, billing, ASKED)
    assert session.failed_hooks == []
    start, found = blocks(session.told)
    assert WISH in start
    assert "project/batch-retries.md — About project/batch-retries.md." in start
    assert LESSON in found
    assert WISH not in found
    for block in (start, found):
        assert "not instructions" in block
        assert evidence_notes(EVIDENCE)[0] in block  # type: ignore[arg-type]
        assert "review by 2027-05-01" in block


@every_harness
def test_an_unrelated_prompt_brings_nothing_beside_the_start(
    lab: Lab, billing: Path, client: str
) -> None:
    session = run(lab, client, billing, UNRELATED)
    assert len(blocks(session.told)) == 1
    assert LESSON not in session.told


@every_harness
def test_a_resumed_conversation_is_told_only_what_changed(
    lab: Lab, billing: Path, driver: GraphStore, client: str
) -> None:
    run(lab, client, billing, ASKED)
    dreamhook(lab, "drain")
    again = run(lab, client, billing, ASKED + " Is it the importer?", resume=True)
    assert again.failed_hooks == []
    assert again.told.count(LESSON) == 1  # in the conversation's past, and not once more
    assert again.told.count(WISH) == 1

    remember(
        lab,
        driver,
        billing,
        "project/batch-retries.md",
        CHANGED,
        ["duplicate processing"],
        version=1,
    )
    third = run(lab, client, billing, ASKED + " And now?", resume=True)
    assert CHANGED in third.told
    assert third.told.count(WISH) == 1


@every_harness
def test_a_forked_conversation_is_told_only_what_changed_since_its_parent_was(
    lab: Lab, billing: Path, driver: GraphStore, client: str
) -> None:
    run(lab, client, billing, ASKED)
    dreamhook(lab, "drain")
    [parent] = query(
        lab, "MATCH (s:Session {cwd: $cwd}) RETURN s.session_id AS id", cwd=str(billing)
    )
    fork = run(lab, client, billing, ASKED + " Is it the importer?", fork=parent["id"])
    assert fork.failed_hooks == []
    assert [fork.told.count(text) for text in (WISH, LESSON)] == [1, 1]

    remember(
        lab,
        driver,
        billing,
        "project/batch-retries.md",
        CHANGED,
        ["duplicate processing"],
        version=1,
    )
    second = run(lab, client, billing, UNRELATED, fork=parent["id"])
    assert "Changed since this conversation was last told" in second.told
    assert [second.told.count(text) for text in (WISH, LESSON)] == [1, 1]
    sessions = query(
        lab, "MATCH (s:Session {cwd: $cwd}) RETURN count(s) AS there", cwd=str(billing)
    )
    assert sessions == [{"there": 3}]  # forks, and no resumes


@every_harness
def test_in_a_running_conversation_each_prompt_brings_only_what_was_not_told(
    lab: Lab, billing: Path, driver: GraphStore, client: str
) -> None:
    remember(
        lab, driver, billing, "project/tax-rounding.md", TAX, ["tax rounding", "invoice a cent off"]
    )
    with conversation(lab, client, billing) as talk:
        first = talk.say(ASKED)
        assert [first.count(text) for text in (WISH, LESSON, TAX)] == [1, 1, 0]
        assert talk.say(UNRELATED).count("<dreamhook-memory>") == 2
        assert talk.say(ASKED + " Is it the importer?").count("<dreamhook-memory>") == 2
        last = talk.say(ASKED_OF_TAX)
    assert [last.count(text) for text in (WISH, LESSON, TAX)] == [1, 1, 1]


@every_harness
def test_a_compaction_in_a_running_conversation_brings_the_start_again_and_lets_notes_come_again(
    lab: Lab, billing: Path, client: str
) -> None:
    with conversation(lab, client, billing) as talk:
        talk.say(ASKED)
        talk.compact()
        after = talk.say(UNRELATED)
        assert [after.count(text) for text in (WISH, LESSON)] == [1, 0]
        last = talk.say(ASKED)
    assert [last.count(text) for text in (WISH, LESSON)] == [1, 1]


def test_a_conversation_compacted_and_resumed_is_told_the_start_again(
    lab: Lab, billing: Path
) -> None:
    run(lab, "claude_code", billing, ASKED)
    run(lab, "claude_code", billing, "/compact keep the question", resume=True)
    session = run(lab, "claude_code", billing, ASKED, resume=True)
    assert WISH in session.told
    assert LESSON in session.told


@every_harness
def test_with_the_store_away_a_start_is_told_from_the_pack_and_a_prompt_nothing(
    lab: Lab, billing: Path, gate: Gate, client: str
) -> None:
    run(lab, client, billing, UNRELATED)
    dreamhook(lab, "worker", "stop")
    gate.__exit__()
    session = run(lab, client, billing, ASKED)
    assert (session.status, session.failed_hooks) == (0, [])
    [start] = blocks(session.told)
    assert WISH in start
    assert LESSON not in session.told


@every_harness
def test_a_fresh_session_is_told_nothing(lab: Lab, billing: Path, client: str) -> None:
    (lab.dreamhook_home / "fresh").touch()
    assert blocks(run(lab, client, billing, ASKED).told) == []


@pytest.mark.parametrize(
    ("left_in", "taken_up_in"), [("claude_code", "codex"), ("codex", "claude_code")]
)
def test_what_one_harness_left_the_other_takes_up_without_a_dream(
    lab: Lab, billing: Path, left_in: str, taken_up_in: str
) -> None:
    run(
        lab,
        left_in,
        billing,
        "Split batch.py in two.",
        {"shell": "cat batch.py"},
        {"say": "There is no batch.py."},
    )
    dreamhook(lab, "drain")
    [start] = blocks(run(lab, taken_up_in, billing, "Go on with it.").told)
    assert "asked: Split batch.py in two." in start
    assert "answered last: There is no batch.py." in start
    if left_in == "claude_code":  # Codex does not tell a failed command from one that worked
        assert "failed and not seen to work since: cat batch.py" in start


def test_a_failing_command_brings_what_is_known_of_its_error(lab: Lab, billing: Path) -> None:
    command = "echo 'duplicate processing: orders twice in ledger' >&2; exit 3"
    session = run(lab, "claude_code", billing, UNRELATED, {"shell": command}, {"say": "I see."})
    assert session.failed_hooks == []
    assert LESSON in blocks(session.told)[-1]
    assert json.dumps(session.requests[0]).count(LESSON) == 0


@every_harness
@pytest.mark.parametrize("told", [False, True])
def test_a_subagent_is_told_the_start_if_configured_and_nothing_else(
    lab: Lab, billing: Path, client: str, told: bool
) -> None:
    if told:
        with (lab.dreamhook_home / "config.toml").open("a", encoding="utf-8") as file:
            file.write("[recall]\nsubagents = true\n")
        dreamhook(lab, "worker", "stop")
        dreamhook(lab, "worker", "start")
        dreamhook(lab, "drain")
    config = lab.home / ".codex/config.toml"
    config.write_text(
        config.read_text().replace('"gpt-5.5"', '"gpt-5"')
    )  # the one that is offered subagents
    wait = {"shell": "sleep 2"}  # Codex does not wait for a subagent by itself
    session = run(lab, client, billing, UNRELATED, {"agent": TASK}, wait, wait)
    assert session.failed_hooks == []
    asked = [text for text in map(text_of, ([one] for one in session.requests)) if TASK in text]
    of_the_subagent = [text for text in asked if UNRELATED not in text]
    assert of_the_subagent
    assert [blocks(text) != [] for text in of_the_subagent] == [told] * len(of_the_subagent)
    assert [WISH in text for text in of_the_subagent] == [told] * len(of_the_subagent)


@pytest.mark.parametrize("settings", [("cursor",), ("cursor", "claude_code")])
@pytest.mark.parametrize(
    "missing",
    [(), ("beforeSubmitPrompt",), ("sessionStart",), ("sessionStart", "beforeSubmitPrompt")],
)
def test_whatever_events_a_cursor_leaves_out_it_is_told_the_start_once(
    lab: Lab, billing: Path, settings: tuple[str, ...], missing: tuple[str, ...]
) -> None:
    """Its command line sends no prompts with `-p` and no start with `--resume`. Played: it has no offline binary."""
    tools = [{"shell": "true"}] * 3
    told = cursor.play(lab, billing, UNRELATED, *tools, settings=settings, missing=missing)
    assert [told.count(text) for text in (WISH, "<dreamhook-memory>")] == [1, 1]
