"""Gives an event its id, from what happened and not from when somebody wrote it down.

The same event reported through two registrations must be one node, and two real events with the same text two.
A payload that names its turn or tool call tells the two apart by itself. One that does not (a resumed session's
start, a notification) is told apart by time: twins of one event are captured within a second of each other.
"""

import hashlib
import json
from typing import Any

from dreamhook.event import Event

NAMED_BY = {
    "UserPromptSubmit": "turn_id",
    "PreToolUse": "tool_use_id",
    "PostToolUse": "tool_use_id",
    "PostToolUseFailure": "tool_use_id",
}
"""Events that happen once per this field's value."""
SLOT_NS = 1_000_000_000


def identify(event: Event, payload: dict[str, Any], time_ns: int) -> tuple[str, list[str]]:
    """(event_id, ids that would mean the same event): 32 hex digits each, the same for every replay."""
    same = {key: value for key, value in payload.items() if key != "hook_event_name"}
    text = json.dumps(same, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    base = hashlib.sha256(
        f"{event['client']}\n{event['session_id']}\n{event['event_name']}\n{text}".encode()
    )
    if event.get(NAMED_BY.get(event["event_name"], "")):
        return base.hexdigest()[:32], []
    slot = time_ns // SLOT_NS
    own, *twins = (
        hashlib.sha256(base.digest() + f"\n{near}".encode()).hexdigest()[:32]
        for near in (slot, slot - 1, slot + 1)
    )
    return own, twins
