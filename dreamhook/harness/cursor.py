"""Cursor (editor and command line): its hook payloads to our event, our context to its stdout.

Field names are from cursor.com/docs/hooks (2026-08-25) and from reading client 3.20.17. Nothing is recorded from a
running Cursor, which needs an account. `session_id` and `cwd` are missing or empty on many events, so the conversation
and the workspace count instead.
"""

import json
from typing import Any, cast

from dreamhook.event import Event, InjectPoint
from dreamhook.harness import Settings, fields, replies
from dreamhook.harness.origin import Origin

CLIENT = "cursor"
LABEL = "Cursor"
SETTINGS: Settings = {"variable": "CURSOR_CONFIG_DIR", "folder": "~/.cursor", "file": "hooks.json"}
VARIABLES = "CURSOR"
AFTER_INSTALL = ""
FOREIGN: dict[str, str] = {}
START_MAY_BE_LOST = True
"""The editor does not wait for sessionStart, and its compaction has no start after it (client 3.20.17); the command
line has no beforeSubmitPrompt with `-p` and no sessionStart with `--resume` (2026.09)."""
LOOKING_TOOLS = {"Read", "Grep", "Glob", "LS", "read_file", "list_dir", "grep_search"}
LOOKING_TOOLS |= {"codebase_search"}
EDITING_TOOLS = {"Write", "Edit", "Delete"}
WHOLE_FILES: set[str] = set()
TAGS: tuple[str, ...] = ()

_EVENTS = {
    "sessionStart": "SessionStart",
    "sessionEnd": "SessionEnd",
    "beforeSubmitPrompt": "UserPromptSubmit",
    "preToolUse": "PreToolUse",
    "beforeShellExecution": "PreToolUse",
    "beforeMCPExecution": "PreToolUse",
    "beforeReadFile": "PreToolUse",
    "beforeTabFileRead": "PreToolUse",
    "postToolUse": "PostToolUse",
    "afterShellExecution": "PostToolUse",
    "afterMCPExecution": "PostToolUse",
    "afterFileEdit": "PostToolUse",
    "afterTabFileEdit": "PostToolUse",
    "postToolUseFailure": "PostToolUseFailure",
    "subagentStart": "SubagentStart",
    "subagentStop": "SubagentStop",
    "preCompact": "PreCompact",
    "stop": "Stop",
    "afterAgentResponse": "AssistantMessage",
    "afterAgentThought": "AssistantThought",
}

_TEXTS = {
    "turn_id": "generation_id",
    "permission_mode": "composer_mode",
    "agent_id": "subagent_id",
    "agent_type": "subagent_type",
    "reason": "reason",
    "trigger": "trigger",
    "prompt": "prompt",
    "assistant_text": "text",
    "tool_name": "tool_name",
    "tool_use_id": "tool_use_id",
    "error": "error_message",
    "status": "status",
}

_TOOLS = {
    # Events of one kind of tool name no tool; these are the names the general events give it.
    "beforeShellExecution": ("Shell", ("command",)),
    "afterShellExecution": ("Shell", ("command",)),
    "beforeReadFile": ("Read", ("file_path",)),
    "beforeTabFileRead": ("Read", ("file_path",)),
    "afterFileEdit": ("Edit", ("file_path", "edits")),
    "afterTabFileEdit": ("Edit", ("file_path", "edits")),
}

_NEVER = {"user_email"}
_SAME_EVERY_TIME = {"transcript_path", "cursor_version", "model_params"}
"""Kept once, with sessionStart."""


def normalise(payload: dict[str, Any]) -> Event:
    """Any JSON object to an event; an unknown one is `Other`, never an error."""
    rest = dict(payload)
    client_event = fields.take_text(rest, "hook_event_name") or ""
    name = _EVENTS.get(client_event, "Other")
    session_id = fields.take_text(rest, "parent_conversation_id", "conversation_id", "session_id")

    event: dict[str, Any] = {"client": CLIENT, "event_name": name, "client_event": client_event}
    event |= fields.take_texts(rest, _TEXTS)
    event |= fields.place(session_id, event["agent_id"])
    event["cwd"] = _take_cwd(rest)
    event["model"] = fields.take_text(rest, "subagent_model", "model_id", "model")
    event["duration_ms"] = fields.take_number(rest, "duration", "duration_ms")
    event |= _take_tool(rest, client_event)

    if client_event == "postToolUse":
        event |= _outcome(event["tool_response"])
    elif name == "PostToolUseFailure":
        event["failed"] = True
    elif name in ("SubagentStart", "SubagentStop"):
        event["message"] = fields.take_text(rest, "task")
        event["assistant_text"] = fields.take_text(rest, "summary")

    event["details"] = fields.details(
        rest, _NEVER | (set() if name == "SessionStart" else _SAME_EVERY_TIME)
    )
    return cast(Event, {key: value for key, value in event.items() if value is not None})


def origin(_payload: dict[str, Any]) -> Origin:
    """Cursor's starts have no source: each is of a new conversation."""
    return Origin()


def inject_point(event: Event) -> InjectPoint | None:
    """After a tool as well: the last resort for what the start or the first prompt should have told. A subagent takes
    nothing, nor do the events of one kind of tool. A command that failed has either event, by the kind of failure."""
    if replies.is_subagents(event) or event["event_name"] == "SubagentStart":
        return None
    if event["client_event"] == "postToolUse":
        return "failure" if event["failed"] else "tool"
    if event["client_event"] == "postToolUseFailure":
        refused_by_person = '"failure_type":"permission_denied"' in event.get("details", "")
        ended_by_person = '"is_interrupt":true' in event.get("details", "")
        return None if refused_by_person or ended_by_person else "failure"
    return replies.inject_point(event)


def reply(event: Event, context: str) -> bytes:
    """Always an object, as Cursor blocks a tool on empty output; it never decides anything."""
    answer: dict[str, Any] = {"continue": True} if event["event_name"] == "UserPromptSubmit" else {}
    text = replies.fit(context) if inject_point(event) else ""
    if text:
        answer["additional_context"] = text
    return replies.line(answer)


def exit_status(_payload: dict[str, Any]) -> None:
    """The event has it already: Cursor states it in the tool's output."""


def sample(session_id: str, folder: str) -> list[dict[str, Any]]:
    """One turn with one tool."""
    every: dict[str, Any] = {
        "conversation_id": session_id,
        "session_id": session_id,
        "generation_id": f"{session_id}-1",
        "model": "self-test",
        "cursor_version": "self-test",
        "workspace_roots": [folder],
        "user_email": None,
        "transcript_path": None,
    }
    start: dict[str, Any] = {"is_background_agent": False, "composer_mode": "agent"}
    tool = {
        "tool_name": "Shell",
        "tool_input": {"command": "echo self-test"},
        "tool_output": '{"exitCode": 0, "stdout": "self-test\\n"}',
        "duration": 1.0,
        "tool_use_id": "call_selftest",
        "cwd": folder,
    }
    prompt: dict[str, Any] = {"prompt": replies.SAMPLE_PROMPT, "attachments": []}
    return [
        every | {"hook_event_name": "sessionStart"} | start,
        every | {"hook_event_name": "beforeSubmitPrompt"} | prompt,
        every | {"hook_event_name": "postToolUse"} | tool,
        every | {"hook_event_name": "afterAgentResponse", "text": replies.SAMPLE_ANSWER},
        every | {"hook_event_name": "stop", "status": "completed", "loop_count": 0},
    ]


def _take_cwd(rest: dict[str, Any]) -> str | None:
    """The first workspace root, else `cwd`. A second root, or a `cwd` elsewhere, stays for the details."""
    roots = rest.get("workspace_roots")
    if not isinstance(roots, list) or not roots or not isinstance(roots[0], str) or not roots[0]:
        return fields.take_text(rest, "cwd")
    root: str = roots[0]
    if len(roots) == 1:
        del rest["workspace_roots"]
    if rest.get("cwd") == root:
        del rest["cwd"]
    return fields.clean(root)


def _take_tool(rest: dict[str, Any], client_event: str) -> dict[str, Any]:
    """Input and output as text, under one name for the general and the special tool events."""
    if client_event not in _TOOLS:
        response = fields.take_value(
            rest, "tool_output" if "tool_output" in rest else "result_json"
        )
        return {"tool_input": fields.take_value(rest, "tool_input"), "tool_response": response}
    tool, keys = _TOOLS[client_event]
    given = {key: rest.pop(key) for key in keys if key in rest}
    rest.pop(
        "content", None
    )  # the whole file before it is read; the result of the tool has what was read
    return {
        "tool_name": tool,
        "tool_input": fields.json_text(given),
        "tool_response": fields.take_value(rest, "output"),
    }


def _outcome(tool_response: str | None) -> dict[str, Any]:
    """Exit status of a shell, inside the JSON text of `tool_output`; without one it worked: failure has its event."""
    try:
        output = json.loads(tool_response or "")
    except (ValueError, RecursionError):
        output = None
    code = output.get("exitCode") if isinstance(output, dict) else None
    if not isinstance(code, int) or isinstance(code, bool) or abs(code) >= 2**31:
        return {"failed": False}
    return {"failed": code != 0, "exit_status": code}
