"""What each harness's hook prints over a fixed store, compared with what the commit before the house (bf519e9) printed.

Six notes are imported, one session is recorded (that is the handoff), and then each harness begins a conversation,
asks about a note, asks again, asks after the note was changed by hand, and goes on after a compaction. Everything
runs through the wrappers and the command line. Dates, times and the checkout's folder are masked.
A wanted change is accepted by writing the file again from the programs under test, and reading the diff:
`DREAMHOOK_TEST_PIN_FROM=. tests/run.sh tests/pins` (another checkout's path pins that checkout's behaviour instead).
"""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.checkouts import make_checkout
from tests.pins.golden import HERE, compare, product
from tests.pins.product import name_person

pytestmark = pytest.mark.neo4j
ASKED = "could duplicate processing of a batch happen here? orders processed twice"
ODD = "how is the price format chosen, and the currency rounding?"
MASKS = [
    (re.compile(r"\d{4}-\d\d-\d\d(?=[^-\d])"), "DATE"),
    (re.compile(r"\b\d\d:\d\d(:\d\d)?( UTC)?\b"), "TIME"),
    (re.compile(r"\b\d+ (second|minute|hour)s? ago\b"), "AGO"),
]
TURNS = {
    # a harness: its start, a prompt, a compaction's new start; {} where it has no such event
    "claude_code": (
        {"hook_event_name": "SessionStart", "source": "startup"},
        {"hook_event_name": "UserPromptSubmit"},
        {"hook_event_name": "SessionStart", "source": "compact"},
    ),
    "codex": (
        {"hook_event_name": "SessionStart", "source": "startup", "permission_mode": "default"},
        {"hook_event_name": "UserPromptSubmit", "permission_mode": "default", "turn_id": "t1"},
        {"hook_event_name": "SessionStart", "source": "compact", "permission_mode": "default"},
    ),
    "cursor": (
        {"hook_event_name": "sessionStart"},
        {"hook_event_name": "beforeSubmitPrompt"},
        {"hook_event_name": "postToolUse", "tool_name": "Shell", "tool_output": '{"exitCode": 0}'},
    ),
}


@pytest.fixture
def checkout(tmp_path):
    return make_checkout(tmp_path / "acme-api", "git@github.com:acme/api.git")


def test_what_is_printed_is_what_it_was(graph, configured_home, checkout, tmp_path):
    name_person(configured_home, "ada")
    programs, printed = product(), []
    try:
        record_a_session(checkout)
        repository = repository_of(graph)
        take_notes(tmp_path / "notes", repository)
        programs.run("worker", "start")
        for client in TURNS:
            printed += conversation(client, checkout, tmp_path / f"{client}.md")
    finally:
        programs.run("worker", "stop")
    text = "".join(f"## {title}\n{answer}\n" for title, answer in printed)
    compare("blocks.md", masked(text, checkout))


def record_a_session(checkout: Path) -> None:
    """What another conversation of the same person left: two requests, one change, no dream yet."""
    base = {"session_id": "11111111-2222-4333-8444-555555555555", "cwd": str(checkout)}
    for payload in (
        {"hook_event_name": "SessionStart", "source": "startup"},
        {"hook_event_name": "UserPromptSubmit", "prompt": "Raise the login timeout to 5 s."},
        {"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_use_id": "t1",
         "tool_input": {"file_path": f"{checkout}/src/login.py"}, "tool_response": {}},
        {"hook_event_name": "Stop", "last_assistant_message": "Done: the timeout is 5000 ms now."},
        {"hook_event_name": "UserPromptSubmit", "prompt": "And run the tests."},
        {"hook_event_name": "Stop", "last_assistant_message": "12 passed."},
        {"hook_event_name": "SessionEnd", "reason": "other"},
    ):  # fmt: skip
        assert product().hook("claude_code", "log_event", base | payload) == ""
    product().run("drain", "--timeout", "60")


def repository_of(graph) -> str:
    records, _, _ = graph.execute_query("MATCH (r:Repository) RETURN r.id AS id")
    [record] = records
    return str(record["id"])


def take_notes(folder: Path, repository: str) -> None:
    """The notes of this package, the project's under its repository."""
    shutil.copytree(HERE / "notes", folder)
    (folder / "repositories" / repository).mkdir(parents=True)
    (folder / "project").rename(folder / "repositories" / repository / "project")
    product().run("import", str(folder))


def conversation(client: str, checkout: Path, changed: Path) -> list[tuple[str, str]]:
    """What one harness prints over a conversation's life, each answer under its title."""
    start, prompt, after = TURNS[client]
    session = f"{client.replace('_', '-')}-conversation"
    base: dict[str, Any] = {"session_id": session, "cwd": str(checkout)}
    if client == "cursor":
        base = {"conversation_id": session, "generation_id": "g1", "cursor_version": "3.20.17"}
        base["workspace_roots"] = [str(checkout)]

    def say(event: dict[str, Any], **more: Any) -> str:
        return product().hook(client, "inject", base | event | more)

    printed = [
        (f"{client}: start", say(start)),
        (f"{client}: a prompt about a note", say(prompt, prompt=ASKED, prompt_id="p1")),
        (f"{client}: the same again", say(prompt, prompt=ASKED, prompt_id="p2")),
    ]
    old = product().run("memory", "show", "project/batch-retries.md")
    changed.write_text(old + f"\nLearned with {client}: there is a ledger of ids.\n")
    product().run("memory", "edit", "project/batch-retries.md", "--file", str(changed))
    printed += [
        (f"{client}: after a change by hand", say(prompt, prompt=ASKED, prompt_id="p3")),
        (f"{client}: a note of odd text", say(prompt, prompt=ODD, prompt_id="p4")),
        (f"{client}: a prompt about nothing", say(prompt, prompt="thanks, go on", prompt_id="p5")),
        (f"{client}: going on", say(after)),
    ]
    return printed


def masked(text: str, checkout: Path) -> str:
    """Without what another day or folder changes; a reply's JSON is laid out to be read."""
    text = "\n".join(map(_unfolded, text.splitlines()))
    text = text.replace(str(checkout), "CHECKOUT")
    for pattern, mask in MASKS:
        text = pattern.sub(mask, text)
    return text + "\n"


def _unfolded(line: str) -> str:
    """A line of JSON with the line ends of its texts as line ends. The rest stays byte for byte."""
    try:
        json.loads(line)
    except ValueError:
        return line
    return line.replace("\\n", "\n")
