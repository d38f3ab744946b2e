"""What the replies of all harnesses share: where context is taken, how much, and in which bytes."""

import json
from typing import Any

from dreamhook.event import Event, InjectPoint
from dreamhook.harness.fields import clean

LIMIT = 9000
"""UTF-8 bytes. Measured caps: Claude Code 2.1.332 10,000 UTF-16 units, Codex 0.171.0 10,000 bytes, Cursor 10,000
characters; beyond its cap each shows the model a stub instead, without a word."""


SAMPLE_PROMPT, SAMPLE_ANSWER = "self-test: does a prompt arrive?", "self-test: it does."
"""What is said in the self-test's made-up sessions."""


def inject_point(event: Event) -> InjectPoint | None:
    """Start of a session or a subagent, or a prompt that a person typed; nothing else inside a subagent."""
    if event["event_name"] == "SubagentStart":
        return "subagent"
    if is_subagents(event):
        return None
    if event["event_name"] == "SessionStart":
        return "start"
    if (
        event["event_name"] == "UserPromptSubmit"
        and "source" not in event
        and event.get("prompt", "").strip()
    ):
        return "prompt"
    return None


def is_subagents(event: Event) -> bool:
    return "parent_session_id" in event


def fit(context: str) -> str:
    """Text that no harness cuts: whole lines within LIMIT. Recall keeps to it; this is the last check."""
    data = clean(context).encode()
    if len(data) <= LIMIT:
        return data.decode()
    end = data.rfind(b"\n", 0, LIMIT + 1)
    return data[: end if end > 0 else LIMIT].decode(errors="ignore")


def line(reply: dict[str, Any]) -> bytes:
    """One line of JSON. Ends in a bare newline on every system: Codex on Windows refuses CRLF (openai/codex#38295)."""
    return json.dumps(reply, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def hook_specific_output(event: Event, context: str, point: InjectPoint | None) -> bytes:
    """The reply of Claude Code and Codex. No further key: Codex 0.171.0 refuses the whole object then. Nothing is no
    bytes."""
    text = fit(context) if point else ""
    if not text:
        return b""
    return line(
        {"hookSpecificOutput": {"hookEventName": event["client_event"], "additionalContext": text}}
    )
