"""What the model said, read without trust."""

import json
import re
from dataclasses import dataclass
from typing import Any

from dream.request import OUTCOMES


class Unusable(Exception):
    """Not an answer at all; the message says why, for the model's second try and for a person."""


@dataclass(frozen=True)
class Answer:
    """`outcomes`: session ref or id → (outcome, why). `changes`: unchecked, as they came."""

    reasoning: str
    outcomes: dict[str, tuple[str, str]]
    changes: list[dict[str, Any]]


def read(text: str) -> Answer:
    """The answer in a reply's text. Raises Unusable; a single bad entry is left to the checks."""
    fenced = re.fullmatch(r"\s*```(?:json)?\s*\n(.*)\n```\s*", text, re.DOTALL)
    try:
        value = json.loads(fenced[1] if fenced else text)
    except (ValueError, RecursionError) as error:
        raise Unusable(f"it is not valid JSON ({error})") from error
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


def _outcome(item: dict[str, Any]) -> tuple[str, tuple[str, str]]:
    outcome = item.get("outcome")
    why = " ".join(str(item.get("why", "")).split())[:500]
    return str(item.get("session", "")), (outcome if outcome in OUTCOMES else "deferred", why)
