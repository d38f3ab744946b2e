"""Makes a payload smaller so that what is kept still parses. Imported only for the rare payload that needs it.

What was left out is told in the payload itself: `dreamhook_left_out` maps each field to its whole length.
"""

import json
from typing import Any

NOTE = "dreamhook_left_out"
NOTED = 50
"""Fields named in the note; a payload of a million small fields must not make a large note."""
STEPS = (100_000, 20_000, 2_000, 200)
"""Characters kept of one text: the first step at which all of it fits."""
SHORT = 256
"""Characters. Ids, names and folders are shorter; with the body left out, they stay."""


def to_size(payload: bytes, limit: int) -> bytes | None:
    """At most `limit` bytes: long texts keep head and tail. None when the payload is no JSON object."""
    parsed = _parse(payload)
    if parsed is None:
        return None
    for keep in STEPS:
        left_out: dict[str, int] = {}
        data = _dump(_shortened(parsed, keep, "", left_out) | {NOTE: left_out})
        if len(data) <= limit:
            return data
    return to_heads(payload)


def to_heads(payload: bytes) -> bytes | None:
    """Only what names the event: short texts, numbers, short lists of short texts. None when it is no JSON object."""
    parsed = _parse(payload)
    if parsed is None:
        return None
    heads = {
        key: value
        for key, value in list(parsed.items())[:NOTED]
        if len(key) <= SHORT and _is_short(value)
    }
    rest = [key for key in parsed if key not in heads]
    if not rest:
        return payload
    lengths = {key: len(_dump(parsed[key])) for key in rest[:NOTED] if len(key) <= SHORT}
    return _dump(heads | {NOTE: lengths})


def _parse(payload: bytes) -> dict[str, Any] | None:
    try:
        parsed = json.loads(payload.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def _dump(value: Any) -> bytes:
    try:
        return json.dumps(value, separators=(",", ":")).encode()
    except RecursionError:
        return b""


def _is_short(value: Any) -> bool:
    if isinstance(value, list):
        return len(value) <= 4 and all(isinstance(one, str) and len(one) <= SHORT for one in value)
    return value is None or (isinstance(value, str | int | float) and len(str(value)) <= SHORT)


def _shortened(value: Any, keep: int, place: str, left_out: dict[str, int]) -> Any:
    if isinstance(value, dict):
        return {
            key: _shortened(one, keep, f"{place}.{key}" if place else key, left_out)
            for key, one in value.items()
        }
    if isinstance(value, list):
        return [_shortened(one, keep, f"{place}[{at}]", left_out) for at, one in enumerate(value)]
    if not isinstance(value, str) or len(value) <= keep:
        return value
    if len(left_out) < NOTED:
        left_out[place[:SHORT]] = len(value)
    head = keep * 2 // 3
    return f"{value[:head]}\n[… {len(value) - keep} characters left out …]\n{value[head - keep :]}"
