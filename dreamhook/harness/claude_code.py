"""Claude Code: its 34 hook payloads to our event, our context to its stdout.

Field names from the types of @anthropic-ai/claude-agent-sdk 0.3.332; behaviour as recorded from Claude Code 2.1.332.
"""

import re
from typing import Any, cast

from dreamhook.event import EVENT_NAMES, Event, Moment
from dreamhook.harness import Settings, fields, replies
from dreamhook.harness.origin import Origin, records

CLIENT = "claude_code"
LABEL = "Claude Code"
SETTINGS: Settings = {
    "variable": "CLAUDE_CONFIG_DIR",
    "folder": "~/.claude",
    "file": "settings.json",
}
FOREIGN = {"cursor_version": "cursor"}
"""Cursor runs the hooks of ~/.claude/settings.json too, with its own payloads."""

_EVENTS = EVENT_NAMES - {"AssistantMessage", "AssistantThought", "Interrupt", "Other"}

_TEXTS = fields.SHARED_TEXTS | {"turn_id": "prompt_id", "error": "error", "message": "message"}

_TEXTS_OF = {
    "Stop": {"assistant_text": "last_assistant_message"},
    "SubagentStop": {"assistant_text": "last_assistant_message"},
    # What it holds here is the error as shown to the person, not an answer.
    "StopFailure": {"message": "last_assistant_message"},
    "PostCompact": {"message": "compact_summary"},
    "MessageDisplay": {"assistant_text": "delta"},
    "TaskCreated": {"message": "task_subject"},
    "TaskCompleted": {"message": "task_subject"},
    "PostModelSwitch": {"model": "to_model"},
}

_TYPED_BY_A_PERSON = {"user", "sdk"}
"""`sdk` is `claude -p`."""

_SAME_EVERY_TIME = {"transcript_path", "effort"}
"""Kept once, with SessionStart."""


def normalise(payload: dict[str, Any]) -> Event:
    """Any JSON object to an event; an unknown one is `Other`, never an error."""
    rest = dict(payload)
    client_event = fields.take_text(rest, "hook_event_name") or ""
    name = client_event if client_event in _EVENTS else "Other"
    session_id = fields.take_text(rest, "session_id")
    # The summariser of a compaction ends as a subagent without type and without SubagentStart: it is the parent's.
    internal = rest.get("agent_type") == ""

    event: dict[str, Any] = {"client": CLIENT, "event_name": name, "client_event": client_event}
    event |= fields.take_texts(rest, _TEXTS)
    event |= fields.take_texts(rest, _TEXTS_OF.get(name, {}))
    event |= fields.place(session_id, None if internal else event["agent_id"])
    event["tool_input"] = fields.take_value(rest, "tool_input")
    event["tool_response"] = fields.take_value(rest, "tool_response")
    event["duration_ms"] = fields.take_number(rest, "duration_ms")

    if name == "UserPromptSubmit":
        if event["agent_id"]:
            event["source"] = "subagent"
        elif event["source"] in _TYPED_BY_A_PERSON:
            event["source"] = None
    elif name == "SubagentStop" and internal:
        event["message"] = event.pop("assistant_text")  # the summary, not an answer
    elif name == "PostToolUse":
        response = payload.get("tool_response")
        event["failed"] = isinstance(response, dict) and response.get("interrupted") is True
    elif name == "PostToolUseFailure":
        event["failed"] = True
        code = re.match(r"Exit code (-?\d{1,9})\b", event["error"] or "")
        event["exit_status"] = int(code[1]) if code else None
    elif name == "StopFailure":
        event["status"] = "error"
    elif name == "PostToolBatch":
        rest["tool_use_ids"] = _batch(rest.pop("tool_calls", None))

    event["details"] = fields.details(rest, () if name == "SessionStart" else _SAME_EVERY_TIME)
    return cast(Event, {key: value for key, value in event.items() if value is not None})


def moment(event: Event) -> Moment | None:
    """As the others, and after a tool that failed: what is known of the error may help with the next try."""
    if event["event_name"] == "PostToolUseFailure":
        return None if replies.is_subagents(event) or replies.was_stopped(event) else "failure"
    return replies.moment(event)


def reply(event: Event, context: str) -> bytes:
    return replies.hook_specific_output(event, context, moment(event))


def origin(payload: dict[str, Any]) -> Origin:
    """Of a start with source `fork`. `/branch` writes the parent's id into the new file's messages before the start;
    `--fork-session` has no file yet and names no parent, but says how long ago it answered (2.1.332)."""
    for record in records(payload):
        parent = record.get("forkedFrom")
        if isinstance(parent, dict) and isinstance(parent.get("sessionId"), str):
            return Origin(parent["sessionId"])
    return Origin(answered_s_ago=fields.take_number(dict(payload), "seconds_since_last_response"))


def _batch(calls: Any) -> list[str]:
    """Ids alone: every call of the batch has had its own event, with the full output."""
    calls = calls if isinstance(calls, list) else []
    return [
        call["tool_use_id"]
        for call in calls
        if isinstance(call, dict) and isinstance(call.get("tool_use_id"), str)
    ]
