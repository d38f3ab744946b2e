"""Reading a payload whose types nobody promises, as what a Neo4j property can hold.

A reader copies the payload and takes out of the copy what it has a property for; what remains is `details`.
A value of another type than expected stays where it is, so it is kept as well.
"""

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_ESCAPED_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")
_TOO_DEEP = "(nested too deeply to be kept as text)"

SHARED_TEXTS = {
    name: name
    for name in (
        "cwd model permission_mode agent_id agent_type source reason trigger prompt tool_name tool_use_id".split()
    )
}
"""Property → field of Claude Code's protocol, which Codex took over as it is."""


def clean(text: str) -> str:
    """NUL and lone surrogates, which neither Neo4j nor a harness takes, become U+FFFD."""
    return _UNSTORABLE.sub("\ufffd", text)


def json_text(value: Any) -> str:
    """Compact JSON in its own script, cleaned like `clean`."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        return _TOO_DEEP
    return _ESCAPED_NUL.sub("\\1\ufffd", clean(text))


def take_text(rest: dict[str, Any], *keys: str) -> str | None:
    """Take these fields; the first text that is not empty, or None."""
    texts = [rest.pop(key) for key in keys if isinstance(rest.get(key), str)]
    return next((clean(text) for text in texts if text), None)


def take_texts(rest: dict[str, Any], keys: Mapping[str, str]) -> dict[str, str | None]:
    """Take a text for each property → field."""
    return {name: take_text(rest, key) for name, key in keys.items()}


def take_value(rest: dict[str, Any], key: str) -> str | None:
    """Take a field of any type: text as it is, a structure as JSON, null as None."""
    value = rest.pop(key, None)
    if value is None:
        return None
    return clean(value) if isinstance(value, str) else json_text(value)


def take_number(rest: dict[str, Any], *keys: str) -> float | None:
    """Take these fields; the first finite number of a sensible size, or None."""
    for key in keys:
        value = rest.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15:
            return float(rest.pop(key))
    return None


def place(session_id: str | None, agent_id: str | None) -> dict[str, str]:
    """Whose list an event belongs to: the session's, or a subagent's own beneath it."""
    session_id = session_id or "unknown"
    if agent_id is None or agent_id == session_id:
        return {"session_id": session_id}
    return {"session_id": f"{session_id}/{agent_id}", "parent_session_id": session_id}


def details(rest: Mapping[str, Any], without: Collection[str] = ()) -> str | None:
    """JSON of what was not taken; None if that is nothing. Null and empty values say nothing."""
    kept = {
        key: value
        for key, value in rest.items()
        if key not in without and value not in (None, "", [], {})
    }
    return json_text(kept) if kept else None
