"""Quill, a harness that nobody has: other field names, other events, another reply than any that there is."""

import json
from typing import Any, cast

from dreamhook.event import Event, InjectPoint
from dreamhook.harness import Settings, fields, replies
from dreamhook.harness.origin import Origin

CLIENT = "quill"
LABEL = "Quill"
SETTINGS: Settings = {"variable": "QUILL_HOME", "folder": "~/.quill", "file": "automations.json"}
VARIABLES = "QUILL"
AFTER_INSTALL = "press F7 to let Quill read its automations"
FOREIGN: dict[str, str] = {}
START_MAY_BE_LOST = False
LOOKING_TOOLS = {"peek"}
EDITING_TOOLS = {"amend"}
WHOLE_FILES: set[str] = set()
TAGS = ("quill-aside",)

_EVENTS = {"opened": "SessionStart", "asked": "UserPromptSubmit", "ran": "PostToolUse"}
_EVENTS |= {"answered": "Stop"}


def normalise(payload: dict[str, Any]) -> Event:
    rest = dict(payload)
    kind = fields.take_text(rest, "kind") or ""
    event: dict[str, Any] = {
        "client": CLIENT,
        "client_event": kind,
        "event_name": _EVENTS.get(kind, "Other"),
    }
    event |= fields.place(fields.take_text(rest, "thread"), None)
    event |= fields.take_texts(
        rest, {"cwd": "dir", "prompt": "say", "assistant_text": "reply", "tool_name": "tool"}
    )
    event["tool_input"] = fields.take_value(rest, "with")
    event["tool_response"] = fields.take_value(rest, "gave")
    if kind == "opened":
        event["source"] = "resume" if rest.pop("how", "") == "continued" else "startup"
    event["details"] = fields.details(rest)
    return cast(Event, {key: value for key, value in event.items() if value is not None})


inject_point: Any = replies.inject_point


def reply(event: Event, context: str) -> bytes:
    point: InjectPoint | None = inject_point(event)
    text = replies.fit(context) if point else ""
    return json.dumps({"margin": [text] if text else []}).encode() + b"\n"


def origin(_payload: dict[str, Any]) -> Origin:
    return Origin()


def exit_status(payload: dict[str, Any]) -> int | None:
    gave = payload.get("gave")
    return gave.get("code") if isinstance(gave, dict) else None


def sample(session_id: str, folder: str) -> list[dict[str, Any]]:
    every = {"thread": session_id, "dir": folder}
    return [
        every | {"kind": "opened", "how": "new"},
        every | {"kind": "asked", "say": replies.SAMPLE_PROMPT},
        every | {"kind": "answered", "reply": replies.SAMPLE_ANSWER},
    ]
