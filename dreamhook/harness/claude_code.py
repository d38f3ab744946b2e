"""Claude Code: its 34 hook payloads to our event, our context to its stdout.

Field names are from the types of @anthropic-ai/claude-agent-sdk 0.3.332. Behaviour is as recorded from Claude Code
2.1.332 on 2026-11-29. A hook that times out is killed with its whole process tree, in which a child of one fork was
found even in a session of its own.
"""

import re
from typing import Any, cast

from dreamhook.event import EVENT_NAMES, Event, InjectPoint
from dreamhook.harness import Settings, fields, replies
from dreamhook.harness.origin import Origin, records

CLIENT = "claude_code"
LABEL = "Claude Code"
SETTINGS: Settings = {
    "variable": "CLAUDE_CONFIG_DIR",
    "folder": "~/.claude",
    "file": "settings.json",
    "switches": {"settings.json": ("disableAllHooks", True)},
}
VARIABLES = "CLAUDE"
AFTER_INSTALL = ""
FOREIGN = {"cursor_version": "cursor"}
"""Cursor runs the hooks of ~/.claude/settings.json too, with its own payloads (client 3.20.17)."""
START_MAY_BE_LOST = False
LOOKING_TOOLS = {"Read", "Grep", "Glob", "LS", "WebSearch"}
EDITING_TOOLS = {"Edit", "MultiEdit", "Write", "NotebookEdit"}
WHOLE_FILES = {"originalFile"}
"""An Edit or Write answers with the whole file as it was before (2.1.332)."""
TAGS = (
    "persisted-output",  # instead of a text above its cap
    "task-notification",
    "command-(?:name|message|args)",
    r"local-command-\w+",
)

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


def inject_point(event: Event) -> InjectPoint | None:
    """As the others, and after a tool that failed: what is known of the error may help with the next try."""
    if event["event_name"] == "PostToolUseFailure":
        ended_by_person = '"is_interrupt":true' in event.get("details", "")
        return None if replies.is_subagents(event) or ended_by_person else "failure"
    return replies.inject_point(event)


def reply(event: Event, context: str) -> bytes:
    """Nothing is no bytes at all."""
    return replies.hook_specific_output(event, context, inject_point(event))


def origin(payload: dict[str, Any]) -> Origin:
    """Of a start with source `fork`. `/branch` writes the parent's id into the new file's messages before the start;
    `--fork-session` has no file yet and names no parent, but says how long ago it answered (2.1.332)."""
    for record in records(payload):
        parent = record.get("forkedFrom")
        if isinstance(parent, dict) and isinstance(parent.get("sessionId"), str):
            return Origin(parent["sessionId"])
    return Origin(answered_s_ago=fields.take_number(dict(payload), "seconds_since_last_response"))


def exit_status(payload: dict[str, Any]) -> int | None:
    """0 for every command that ended and has a result: one that ended otherwise has a failure event (2.1.332)."""
    response = payload.get("tool_response")
    if not isinstance(response, dict):
        return None
    return None if response.get("interrupted") or response.get("backgroundTaskId") else 0


def sample(session_id: str, folder: str) -> list[dict[str, Any]]:
    """One turn with one tool."""
    every = {"session_id": session_id, "transcript_path": f"{folder}/none.jsonl", "cwd": folder}
    turn = every | {"prompt_id": f"{session_id}-1", "permission_mode": "default"}
    return [
        every | {"hook_event_name": "SessionStart", "source": "startup", "model": "self-test"},
        turn | {"hook_event_name": "UserPromptSubmit", "prompt": replies.SAMPLE_PROMPT},
        turn
        | {
            "hook_event_name": "PostToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": "echo self-test"},
            "tool_response": {"stdout": "self-test\n", "stderr": "", "interrupted": False},
            "tool_use_id": "toolu_selftest",
            "duration_ms": 1,
        },
        turn
        | {
            "hook_event_name": "Stop",
            "stop_hook_active": False,
            "last_assistant_message": replies.SAMPLE_ANSWER,
        },
    ]


def _batch(calls: Any) -> list[str]:
    """Ids alone: every call of the batch has had its own event, with the full output."""
    calls = calls if isinstance(calls, list) else []
    return [
        call["tool_use_id"]
        for call in calls
        if isinstance(call, dict) and isinstance(call.get("tool_use_id"), str)
    ]
