"""The story this project exists for: what one coding agent learns today, another is told tomorrow. Nobody else is.

Real Claude Code and Codex talk to a stub model; Cursor, which has no offline binary, is played from payloads, through
its own hooks and through Claude Code's settings, which it runs too.
"""

import json
import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.lab import cursor
from tests.lab.harnesses import Lab, make_lab, make_project, require_harnesses, run
from tests.lab.product import become_somebody_else, dreamhook, leave, make_dreamhook_home, recorded
from tests.lab.stub_model import StubModel, text_of

pytestmark = [pytest.mark.harness, pytest.mark.neo4j]

STATED = (
    "I found out why customers are charged twice: batch retries duplicate committed items. "
    "Please check batch.py. And for everything you do for me: write a failing test before the fix."
)
COMMAND = "cat batch.py"
SOURCE = (
    "def retry(batch):\n    for item in batch.items:  # committed ones too\n        charge(item)\n"
)
FINDING = "Confirmed: retry() goes through all items of the batch, also those that were committed."

ASKED = "Support reports duplicate processing of some orders after a timeout. Where should I look?"
UNRELATED = "Customers ask for more spacing between the buttons of the settings dialog."  # shares one word with it

LESSON = "A batch retry charges items again that were committed before. Skip those that are in the ledger."
WISH = "Write a failing test before every fix."
PATIENT = "20000"
"""On a busy machine, too, this is about what the answer says and not about its speed."""
REVIEW_BY = (date.today() + timedelta(days=90)).isoformat()
NOTES: list[dict[str, Any]] = [
    {
        "path": "project/batch-retries.md",
        "kind": "lesson",
        "title": "Batch retries duplicate committed items",
        "description": "Why items are charged twice when a batch is retried.",
        "cues": [
            "duplicate processing",
            "orders processed twice",
            "customer charged twice",
            "batch retry",
        ],
        "body": LESSON,
    },
    {
        "path": "profile/fixing.md",
        "kind": "preference",
        "title": "How fixes are made",
        "description": "Wants a failing test before the fix.",
        "cues": ["fix a bug", "failing test", "regression test"],
        "body": WISH,
    },
]

Told = str
"""Everything that reached the model, or for Cursor everything that the hooks handed over for it."""
Talk = Callable[..., Told]


def _real(client: str, lab: Lab, project: Path, prompt: str, *turns: dict[str, Any]) -> Told:
    session = run(lab, client, project, prompt, *turns)
    assert (session.status, session.failed_hooks) == (0, [])
    return session.told


AGENTS: dict[
    str, tuple[str, str, Talk]
] = {  # name here: (client, name for people, how to talk to it)
    "claude_code": ("claude_code", "Claude Code", partial(_real, "claude_code")),
    "codex": ("codex", "Codex", partial(_real, "codex")),
    "cursor": ("cursor", "Cursor", partial(cursor.play, settings=("cursor",))),
    "cursor_by_claude_settings": (
        "cursor",
        "Cursor",
        partial(cursor.play, settings=("claude_code",)),
    ),
}


@pytest.fixture
def model() -> Iterator[StubModel]:
    require_harnesses()
    with StubModel() as model:
        yield model


@pytest.fixture
def make_user(
    tmp_path: Path, configured_home: Path, model: StubModel
) -> Iterator[Callable[[tuple[str, ...]], Lab]]:
    """Makes a user whose memory is empty, with our hooks registered for these clients."""
    made = []

    def make(clients: tuple[str, ...]) -> Lab:
        home = make_dreamhook_home(configured_home, tmp_path / "dreamhook")
        made.append(
            make_lab(tmp_path.resolve(), home, model, clients, DREAMHOOK_DEADLINE_MS=PATIENT)
        )
        return made[-1]

    yield make
    for lab in made:
        leave(lab)


@pytest.mark.parametrize(
    ("teller", "asker"),
    [
        ("claude_code", "codex"),
        ("codex", "claude_code"),
        ("claude_code", "cursor"),
        ("cursor", "codex"),
        ("codex", "cursor_by_claude_settings"),
        ("cursor_by_claude_settings", "claude_code"),
    ],
)
def test_what_one_agent_learns_another_is_told_and_only_where_it_belongs(
    make_user: Callable[[tuple[str, ...]], Lab], teller: str, asker: str
) -> None:
    lab = make_user(("claude_code", "codex", *({"cursor"} & {teller, asker})))
    billing, website = make_project(lab, "billing"), make_project(lab, "website")
    (billing / "batch.py").write_text(SOURCE, encoding="utf-8")
    client, label, tell = AGENTS[teller]
    ask = AGENTS[asker][2]

    tell(lab, billing, STATED, {"shell": COMMAND}, {"say": FINDING})
    dreamhook(lab, "drain")
    [events] = recorded(lab, client, billing)
    assert _in_order(
        events, "SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"
    )
    assert [event["prompt"] for event in events if event.get("prompt")] == [STATED]
    [tool] = [event for event in events if event["event_name"] == "PostToolUse"]
    assert COMMAND in tool["tool_input"]
    assert "committed ones too" in tool["tool_response"]
    if (
        teller != "cursor_by_claude_settings"
    ):  # Claude's settings know no event that carries Cursor's answer
        assert FINDING in [event.get("assistant_text") for event in events]

    _dream(lab)
    listed = json.loads(dreamhook(lab, "memory", "list", "--json"))
    assert {memory["path"] for memory in listed} == {note["path"] for note in NOTES}

    dreamhook(lab, "worker", "start")
    start, found = _blocks(ask(lab, billing, ASKED))
    assert LESSON in found
    assert WISH in start
    assert "project/batch-retries.md" in start
    for block in (start, found):
        assert "Recorded memory" in block
        assert "not instructions" in block
        assert (
            f"{label} session {events[0]['session_id'][:8]}, {events[0]['timestamp'][:10]}" in block
        )
        assert f"review by {REVIEW_BY}" in block

    told = ask(lab, billing, UNRELATED)
    [only_start] = _blocks(told)
    assert WISH in only_start
    assert LESSON not in told

    told = ask(lab, website, ASKED)
    [elsewhere] = _blocks(told)
    assert WISH in elsewhere  # the person's own notes go along, so this is not simply nothing
    assert LESSON not in told
    assert "batch-retries" not in told
    assert "batch.py" not in told  # nor what was said and done there

    become_somebody_else(lab)
    assert _blocks(ask(lab, billing, ASKED)) == []


def test_cursor_with_both_registrations_is_recorded_once_and_told_once(
    make_user: Callable[[tuple[str, ...]], Lab],
) -> None:
    lab = make_user(("claude_code", "codex", "cursor"))
    billing = make_project(lab, "billing")
    (billing / "batch.py").write_text(SOURCE, encoding="utf-8")
    talk = partial(cursor.play, lab, billing, settings=("cursor", "claude_code"))

    talk(STATED, {"shell": COMMAND}, {"say": FINDING})
    dreamhook(lab, "drain")
    [events] = recorded(lab, "cursor", billing)
    names = [event["event_name"] for event in events]
    assert sorted(names) == sorted(set(names))
    assert recorded(lab, "claude_code", billing) == []

    _dream(lab)
    dreamhook(lab, "worker", "start")
    assert len(_blocks(talk(ASKED))) == len(["at the start", "with the prompt"])


def _dream(lab: Lab) -> None:
    lab.model.play({"answer": _dreamt})
    dreamhook(lab, "dream", "--now")
    assert STATED in text_of(lab.model.requests)


def _dreamt(body: dict[str, Any]) -> str:
    """What the model makes of the events: NOTES, each with the person's own words as evidence."""
    text = text_of([body])
    own_words = re.findall(r"^\[(E\d+)\] \S+ user:$", text, re.MULTILINE)
    sessions = re.findall(r"^## session (S\d+) ", text, re.MULTILINE)
    common = {
        "why": "stated",
        "action": "create",
        "read_version": 0,
        "evidence": own_words,
        "review_by": REVIEW_BY,
    }
    return json.dumps(
        {
            "reasoning": "",
            "sessions": [
                {"session": session, "why": "two statements", "outcome": "used"}
                for session in sessions
            ],
            "changes": [common | note for note in NOTES],
        }
    )


def _blocks(told: Told) -> list[str]:
    return re.findall(r"<dreamhook-memory>.*?</dreamhook-memory>", told, re.DOTALL)


def _in_order(events: list[dict[str, Any]], *names: str) -> bool:
    """Whether these happened in this order, whatever else happened in between."""
    rest = iter(event["event_name"] for event in events)
    return all(name in rest for name in names)
