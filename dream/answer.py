"""What the model said, read without trust."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dream.request import OUTCOMES

STARTS = 50
"""Places in a text at which an answer is looked for."""


class Unusable(Exception):
    """Not an answer at all; the message says why, for the model's second try and for a person."""


@dataclass(frozen=True)
class Answer:
    """`outcomes`: session ref or id → (outcome, why). `changes`: unchecked, as they came."""

    reasoning: str
    outcomes: dict[str, tuple[str, str]]
    changes: list[dict[str, Any]]


def read(text: str) -> Answer:
    """The answer in a reply's text, words around it forgiven. Raises Unusable; a bad entry is left to the checks."""
    return of(_value(text))


def of(value: Any) -> Answer:
    """The answer that is this JSON value. Raises Unusable."""
    if not isinstance(value, dict):
        raise Unusable("it is not a JSON object")
    for key in ("sessions", "changes"):
        if not isinstance(value.get(key), list):
            raise Unusable(f"`{key}` is missing or not a list")
    return Answer(
        reasoning=str(value.get("reasoning", "")),
        outcomes=dict(_outcome(item) for item in value["sessions"] if isinstance(item, dict)),
        changes=[item if isinstance(item, dict) else {} for item in value["changes"]],
    )


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        for inner in _inside(text):
            return inner
        raise Unusable(f"it is not valid JSON ({error})"[:300]) from error


def _inside(text: str) -> Iterator[Any]:
    """Objects in a text that look like an answer."""
    decoder = json.JSONDecoder()
    for start in [found.start() for found in re.finditer(r"\{", text)][:STARTS]:
        try:
            value, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and "changes" in value:
            yield value


def _outcome(item: dict[str, Any]) -> tuple[str, tuple[str, str]]:
    outcome = item.get("outcome")
    why = " ".join(str(item.get("why", "")).split())[:500]
    return str(item.get("session", "")), (outcome if outcome in OUTCOMES else "deferred", why)
