"""Codex: its 12 hook payloads to our event, our context to its stdout.

Field names from the JSON schemas inside Codex 0.171.0 (tests/codex-schema); behaviour as recorded from it.
A failed tool is not told apart: Codex gives the output as text, without an exit status, and has no failure event.
"""

from typing import Any, cast

from dreamhook.event import Event
from dreamhook.harness import Settings, fields, replies
from dreamhook.harness.origin import Origin, records

CLIENT = "codex"
LABEL = "Codex"
SETTINGS: Settings = {"variable": "CODEX_HOME", "folder": "~/.codex", "file": "hooks.json"}
FOREIGN: dict[str, str] = {}

_EVENTS = {
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PreCompact",
    "PostCompact",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "Interrupt",
    "SessionEnd",
}

_TEXTS = fields.SHARED_TEXTS | {"turn_id": "turn_id", "assistant_text": "last_assistant_message"}

_SAME_EVERY_TIME = {"transcript_path"}
"""Kept once, with SessionStart."""


def normalise(payload: dict[str, Any]) -> Event:
    """Any JSON object to an event; an unknown one is `Other`, never an error."""
    rest = dict(payload)
    client_event = fields.take_text(rest, "hook_event_name") or ""
    name = client_event if client_event in _EVENTS else "Other"
    session_id = fields.take_text(rest, "session_id")

    event: dict[str, Any] = {"client": CLIENT, "event_name": name, "client_event": client_event}
    event |= fields.take_texts(rest, _TEXTS)
    event |= fields.place(session_id, event["agent_id"])
    event["tool_input"] = fields.take_value(rest, "tool_input")
    event["tool_response"] = fields.take_value(rest, "tool_response")
    # Unlike Claude Code, Codex sends a subagent's task as a prompt of its own.
    if name == "UserPromptSubmit" and event["agent_id"]:
        event["source"] = "subagent"
    event["details"] = fields.details(rest, () if name == "SessionStart" else _SAME_EVERY_TIME)
    return cast(Event, {key: value for key, value in event.items() if value is not None})


moment = replies.moment


def reply(event: Event, context: str) -> bytes:
    return replies.hook_specific_output(event, context, moment(event))


def origin(payload: dict[str, Any]) -> Origin:
    """Of a start with source `fork`: the rollout file is there by then, and its first record names the parent
    (0.171.0)."""
    meta = next(records(payload), {}).get("payload")
    named = meta.get("forked_from_id") if isinstance(meta, dict) else None
    return Origin(named) if isinstance(named, str) else Origin()
