"""The real Claude Code and Codex with our hooks: we are never in their way, and what they do is never lost."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.gate import Gate
from tests.lab.harnesses import (
    COMMANDS,
    PATIENCE,
    Lab,
    kill,
    make_lab,
    make_project,
    processes,
    require_harnesses,
    run,
    start,
)
from tests.lab.product import dreamhook, leave, make_dreamhook_home, recorded, status
from tests.lab.stub_model import StubModel

pytestmark = [pytest.mark.harness, pytest.mark.neo4j]
every_harness = pytest.mark.parametrize("client", COMMANDS)

PROMPT = "Please say which word the README opens with."
TURNS = ({"shell": "cat README.md"}, {"say": "It opens with a heading."})


@pytest.fixture
def lab(tmp_path: Path, configured_home: Path, gate: Gate) -> Iterator[Lab]:
    """A user of both harnesses whose store is behind the gate."""
    require_harnesses()
    home = make_dreamhook_home(configured_home, tmp_path / "dreamhook", uri=gate.uri)
    with StubModel() as model:
        lab = make_lab(tmp_path.resolve(), home, model)
        yield lab
        leave(lab)


@every_harness
def test_every_reply_of_our_hooks_is_accepted(lab: Lab, gate: Gate, client: str) -> None:
    gate.open()
    dreamhook(lab, "worker", "start")
    session = run(lab, client, make_project(lab, "billing"), PROMPT, *TURNS)
    assert (session.status, session.answer, session.failed_hooks) == (0, TURNS[-1]["say"], [])
    assert {"SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"} <= {
        event for event, _ in session.hooks
    }


@every_harness
def test_a_session_without_the_store_goes_on_and_is_recorded_when_the_store_is_back(
    lab: Lab, gate: Gate, client: str
) -> None:
    project = make_project(lab, "billing")
    session = run(lab, client, project, PROMPT, *TURNS)
    assert (session.status, session.answer, session.failed_hooks) == (0, TURNS[-1]["say"], [])
    assert status(lab)["spool"]["depth"] > 0

    gate.open()
    dreamhook(lab, "drain")
    [events] = recorded(lab, client, project)
    assert [event["prompt"] for event in events if event.get("prompt")] == [PROMPT]
    assert TURNS[-1]["say"] in [event.get("assistant_text") for event in events]
    assert status(lab)["spool"]["depth"] == 0


@every_harness
def test_a_harness_killed_before_the_upload_is_acknowledged_leaves_exactly_one_turn(
    lab: Lab, gate: Gate, client: str
) -> None:
    project = make_project(lab, "billing")
    lab.model.play({"hold": True})
    process = start(lab, client, project, PROMPT)
    try:
        assert lab.model.held.wait(PATIENCE), (
            "the prompt never reached the model"
        )  # so its hooks have ended
    finally:
        kill(process)

    captured = {file: file.read_bytes() for file in (lab.dreamhook_home / "spool/new").iterdir()}
    gate.open()
    dreamhook(lab, "drain")
    for file, content in captured.items():  # as after a commit whose acknowledgement was lost
        file.write_bytes(content)
    dreamhook(lab, "drain")
    [events] = recorded(lab, client, project)
    assert [event["prompt"] for event in events if event.get("prompt")] == [PROMPT]


def test_no_process_is_left_once_the_worker_was_stopped(lab: Lab, gate: Gate) -> None:
    gate.open()
    for client in COMMANDS:
        run(lab, client, make_project(lab, f"billing-{client}"), PROMPT, *TURNS)
    dreamhook(lab, "drain")
    assert [command for command in processes(lab).values() if "dreamhook.worker" in command], (
        "no hook started a worker"
    )
    dreamhook(lab, "worker", "stop")
    assert processes(lab) == {}
