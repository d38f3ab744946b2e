"""Keeps an event's texts to a size that a reader can use: no copies, head and tail, and the whole length noted."""

import json
import re
from typing import Any

from dreamhook import harness
from dreamhook.event import Event

LIMITS = {"prompt": 100_000, "assistant_text": 100_000, "message": 50_000}
"""Characters kept of what people say; of every other text as many as config.toml says."""
WHOLE_FILES = harness.named("WHOLE_FILES")
COPY = 200
"""A result's text of this length or more that repeats the tool's input is left out."""
OWN_BLOCK = re.compile(
    r"(?:<|\\u003[cC])dreamhook-memory\b.*?(?:(?:<|\\u003[cC])/dreamhook-memory(?:>|\\u003[eE])|\Z)\s*",
    re.DOTALL,
)
"""What recall injected must not come back as something the user said: memory would feed on itself."""


def trim(event: Event, limit: int) -> dict[str, Any]:
    """The event as node properties; a cut text `x` has its full length in `x_length`. `limit`: see LIMITS."""
    properties: dict[str, Any] = {}
    for name, value in _without_copies(event).items():
        if isinstance(value, str):
            text = OWN_BLOCK.sub("", value) if "dreamhook-memory" in value else value
            most = LIMITS.get(name, limit)
            if len(text) > most:
                properties[f"{name}_length"] = len(text)
                head = most * 2 // 3
                text = f"{text[:head]}\n[… {len(text) - most} characters left out …]\n{text[head - most :]}"
            value = text
        properties[name] = value
    return properties


def _without_copies(event: Event) -> dict[str, Any]:
    """A tool may answer with a whole file, which grows with it, and with its input once more, which doubles the
    event."""
    properties: dict[str, Any] = dict(event)
    answer = properties.get("tool_response")
    if not isinstance(answer, str) or not answer.startswith("{"):
        return properties
    try:
        response, given = json.loads(answer), json.loads(properties.get("tool_input") or "{}")
    except (ValueError, RecursionError):
        return properties
    inputs = (
        {text for text in given.values() if isinstance(text, str)}
        if isinstance(given, dict)
        else set()
    )
    left_out = {
        key: f"[{len(value)} characters]"
        for key, value in response.items()
        if isinstance(value, str)
        and (key in WHOLE_FILES or (len(value) >= COPY and value in inputs))
    }
    if left_out:
        properties["tool_response"] = json.dumps(
            response | left_out, ensure_ascii=False, separators=(",", ":")
        )
    return properties
