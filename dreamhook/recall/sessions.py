"""Finds earlier sessions on the same subject: what was said there, and how lately."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dreamhook.recall.events import filled, question
from dreamhook.store.query import Store

RANK = 10
"""What softens the reciprocal of a place (retrieval study: better than the usual 60 in all four set-ups)."""


@dataclass(frozen=True)
class Earlier:
    """One session; `until` is its latest event's time, `text` the beginning of the event that matched best."""

    client: str
    session_id: str
    started_at: str
    until: str
    branch: str
    repository: str
    text: str
    score: float


def search_sessions(
    store: Store,
    text: str,
    person: str,
    repositories: Sequence[str] | None,
    limit: int = 10,
) -> list[Earlier]:
    """Best first, only those with an event that matches; `repositories` None: everywhere."""
    asked = question(text, person, repositories)
    return fused(store.ask("recall_sessions", asked))[:limit] if asked else []


def fused(rows: Sequence[dict[str, Any]]) -> list[Earlier]:
    """Rows of recall_sessions.cypher, latest first, by the sum of 1/(RANK + place) among the latest and the best.

    On coding sessions recency is half of the signal: what is worked on today was worked on yesterday.
    """
    shares = [1 / (RANK + place + 1) for place in range(len(rows))]
    by_score = sorted(
        range(len(rows)), key=lambda late: -float(rows[late]["score"])
    )  # among equals the later first
    for place, late in enumerate(by_score):
        shares[late] += 1 / (RANK + place + 1)
    order = sorted(range(len(rows)), key=lambda late: -shares[late])
    return [filled(Earlier, {**rows[late], "score": shares[late]}) for late in order]
