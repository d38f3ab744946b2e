"""The question to Claude, whichever way it goes: at most one repair, and never more than may be spent."""

from collections.abc import Callable
from typing import Any

from dream import request as requests
from dream.answer import Answer, Unusable, read
from dream.budget import Budget, Usage
from dream.errors import Unanswerable

Complete = Callable[[dict[str, Any], Usage], str]
"""A back end: the request in, the answer's text out; adds to the usage. Raises Unusable and DreamError."""


def ask(complete: Complete, request: dict[str, Any], usage: Usage, budget: Budget) -> Answer:
    """The answer, after at most one repair. Raises DreamError."""
    try:
        return read(complete(request, usage))
    except Unusable as first:
        again = requests.repair(request, str(first))
        refused = budget.refuses(usage, again)
        if refused:
            raise Unanswerable(
                f"Claude's answer could not be used ({first}), and {refused}"
            ) from first
        try:
            return read(complete(again, usage))
        except Unusable as second:
            raise Unanswerable(f"Claude's answer could not be used, twice: {second}") from second
