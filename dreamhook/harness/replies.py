"""What the replies of all harnesses share: when context is taken, how much, and in which bytes."""

import json
from typing import Any

from dreamhook.event import Event, Moment
from dreamhook.harness.fields import clean

LIMIT = 9000
"""UTF-8 bytes. Measured caps: Claude Code 2.1.332 10,000 UTF-16 units, Codex 0.171.0 10,000 bytes, Cursor 10,000
characters; beyond its cap each shows the model a stub instead, without a word."""


def moment(event: Event) -> Moment | None:
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


def was_stopped(event: Event) -> bool:
    """Whether a tool failed because a person ended or refused it: no error that anybody has noted."""
    details = event.get("details", "")
    return '"is_interrupt":true' in details or '"failure_type":"permission_denied"' in details


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


def hook_specific_output(event: Event, context: str, taken: Moment | None) -> bytes:
    """The reply of Claude Code and Codex. No further key: Codex refuses the whole object then. Nothing is no bytes."""
    text = fit(context) if taken else ""
    if not text:
        return b""
    return line(
        {"hookSpecificOutput": {"hookEventName": event["client_event"], "additionalContext": text}}
    )
