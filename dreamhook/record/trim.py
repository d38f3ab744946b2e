"""Keeps an event's texts to a size that a reader can use: head and tail, and the whole length noted."""

import re
from typing import Any

from dreamhook.event import Event

LIMITS = {"prompt": 100_000, "assistant_text": 100_000, "message": 50_000}
LIMIT = 20_000
"""Characters kept of every other text."""
OWN_BLOCK = re.compile(r"<dreamhook-memory\b.*?(?:</dreamhook-memory>|\Z)\s*", re.DOTALL)
"""What recall injected must not come back as something the user said: memory would feed on itself."""


def trim(event: Event) -> dict[str, Any]:
    """The event as node properties; a cut text `x` has its full length in `x_length`."""
    properties: dict[str, Any] = {}
    for name, value in event.items():
        if isinstance(value, str):
            text = OWN_BLOCK.sub("", value) if "<dreamhook-memory" in value else value
            limit = LIMITS.get(name, LIMIT)
            if len(text) > limit:
                properties[f"{name}_length"] = len(text)
                head = limit * 2 // 3
                text = f"{text[:head]}\n[… {len(text) - limit} characters left out …]\n{text[head - limit :]}"
            value = text
        properties[name] = value
    return properties
