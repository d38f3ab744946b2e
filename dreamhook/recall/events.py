"""Searches the raw record: what was said and done, before any dream made something of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from dreamhook.recall.query import event_query
from dreamhook.store.query import Store

Kind = TypeVar("Kind")
HITS = 2_000
"""How many the index gives; its query names the repositories, so that others' events are seldom among them."""
BEST = 500
"""How many of them, and what stands beside them, are weighed."""
BESIDE = 0.3
"""What an event adds to those before and after it, and this times this to those one further: an answer stands beside
its question. First value tried (retrieval study: +6 points)."""
LONG = 4_000
"""Characters at which a text needs twice the score: Lucene measures a field's length against that field's own average,
and so takes an answer or a paste of thousands of characters, which mentions everything, for as telling as a prompt."""


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
    store: Store,
    text: str,
    person: str,
    repositories: Sequence[str] | None,
    limit: int = 10,
) -> list[Hit]:
    """Best first; `repositories` None: everywhere. What matches nothing itself can stand beside what does."""
    asked = question(text, person, repositories)
    if not asked:
        return []
    parameters = asked | {"best": BEST, "long": LONG, "beside": BESIDE, "limit": limit}
    return [filled(Hit, row) for row in store.ask("recall_events", parameters)]


def question(text: str, person: str, repositories: Sequence[str] | None) -> dict[str, Any]:
    """What every search of the record asks the index; empty when the text asks nothing."""
    query = event_query(text, repositories)
    places = list(repositories) if repositories is not None else None
    return {"query": query, "person": person, "repositories": places, "hits": HITS} if query else {}


def filled(kind: Callable[..., Kind], row: Mapping[str, Any]) -> Kind:
    """A record of texts and a score from a row of the same names; a text that is not there is empty."""
    return kind(
        **{name: value or "" for name, value in row.items() if name != "score"},
        score=float(row["score"]),
    )
