"""Codex: its 12 hook payloads to our event, our context to its stdout.

Field names are from the JSON schemas inside Codex 0.171.0 (tests/codex-schema); behaviour is as recorded from it on
2026-11-29. A failed tool is not told apart: Codex gives the output as text, without an exit status, and has no
failure event. Codex waits for everybody who holds a hook's stdout; hooks of its full-screen mode all have the
environment of the first session.
"""

from typing import Any, cast

from dreamhook.event import Event
from dreamhook.harness import Settings, fields, replies
from dreamhook.harness.origin import Origin, records

CLIENT = "codex"
LABEL = "Codex"
SETTINGS: Settings = {
    "variable": "CODEX_HOME",
    "folder": "~/.codex",
    "file": "hooks.json",
    # It takes hooks from either, and warns when both have some (0.171.0).
    "table": "config.toml",
    "switches": {"config.toml": ("features.hooks", False)},
    # A hooks.json with a byte order mark is rejected (destructive_command_guard issue 125).
    "refuses_byte_order_mark": True,
    # A trust record names a hook's event, group and place in it (0.171.0).
    "trusts_by_position": True,
}
VARIABLES = "CODEX"
AFTER_INSTALL = (
    "open codex, enter /hooks and trust the new hooks; until then Codex skips them silently"
)
FOREIGN: dict[str, str] = {}
START_MAY_BE_LOST = False
LOOKING_TOOLS: set[str] = set()
EDITING_TOOLS = {"apply_patch"}
WHOLE_FILES: set[str] = set()
TAGS = ("environment_context", "permissions instructions", "instructions", "turn_aborted")

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


inject_point = replies.inject_point


def reply(event: Event, context: str) -> bytes:
    """Nothing is no bytes at all."""
    return replies.hook_specific_output(event, context, inject_point(event))


def origin(payload: dict[str, Any]) -> Origin:
    """Of a start with source `fork`: the rollout file is there by then, and its first record names the parent
    (0.171.0)."""
    meta = next(records(payload), {}).get("payload")
    named = meta.get("forked_from_id") if isinstance(meta, dict) else None
    return Origin(named) if isinstance(named, str) else Origin()


def exit_status(_payload: dict[str, Any]) -> None:
    """Codex gives none: its result of a shell is the output as text (0.171.0)."""


def sample(session_id: str, folder: str) -> list[dict[str, Any]]:
    """One turn with one tool."""
    every = {"session_id": session_id, "transcript_path": None, "cwd": folder}
    every |= {"model": "self-test", "permission_mode": "default"}
    turn = every | {"turn_id": f"{session_id}-1"}
    return [
        every | {"hook_event_name": "SessionStart", "source": "startup"},
        turn | {"hook_event_name": "UserPromptSubmit", "prompt": replies.SAMPLE_PROMPT},
        turn
        | {
            "hook_event_name": "PostToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": "echo self-test"},
            "tool_response": "self-test\n",
            "tool_use_id": "exec-selftest",
        },
        turn
        | {
            "hook_event_name": "Stop",
            "stop_hook_active": False,
            "last_assistant_message": replies.SAMPLE_ANSWER,
        },
    ]
