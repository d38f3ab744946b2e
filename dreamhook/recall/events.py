"""Searches the raw record: what was said and done, before any dream made something of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from neo4j import Driver

from dreamhook.recall.query import event_query
from dreamhook.recall.search import read

NEIGHBOUR = 0.3
"""What an event gets of its neighbours' scores: an answer stands beside its question (retrieval study: +6 points)."""
OVERFETCH = 2_000
"""Hits looked at; the person and repository are checked after the index."""


@dataclass(frozen=True)
class Hit:
    """One event; `text` is its beginning."""

    event_id: str
    client: str
    session_id: str
    event_name: str
    timestamp: str
    repository: str
    text: str
    score: float


def search_events(
    driver: Driver,
    text: str,
    person: str,
    repositories: Sequence[str] | None,
    limit: int = 10,
    database: str | None = None,
) -> list[Hit]:
    """Best first; `repositories` None: everywhere."""
    query = event_query(text)
    if not query:
        return []
    parameters = {
        "query": query,
        "person": person,
        "repositories": list(repositories) if repositories is not None else None,
        "limit": OVERFETCH,
        "wanted": max(100, limit * 5),
    }
    return smoothed(read(driver, "recall_events", parameters, database))[:limit]


def smoothed(rows: Sequence[dict[str, Any]]) -> list[Hit]:
    """Rows of recall_events.cypher, each with a share of its neighbours' scores added."""
    scores = {row["event_id"]: float(row["score"]) for row in rows}
    hits = []
    for row in rows:
        near = scores.get(row["before"] or "", 0.0) + scores.get(row["after"] or "", 0.0)
        kept = {name: row[name] or "" for name in Hit.__dataclass_fields__ if name != "score"}
        hits.append(Hit(**kept, score=float(row["score"]) + NEIGHBOUR * near))
    return sorted(hits, key=lambda one: (-one.score, one.event_id))
