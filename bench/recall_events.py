"""Conversations as recorded events, and how much of what answers a question the product's event search brings back."""

import hashlib
import statistics
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from rich.console import Console
from rich.progress import track
from rich.table import Table

from dreamhook.recall.events import search_events
from dreamhook.record.append import Row, Session, append
from dreamhook.store.query import Store

PERSON = "bench"
PROGRESS = Console(stderr=True)
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
FIELDS = {"user": ("UserPromptSubmit", "prompt"), "assistant": ("Stop", "assistant_text")}
"""Who speaks → the event that a harness reports then, and the property with the words."""


@dataclass(frozen=True)
class Said:
    """One message; `event_id` is unique in the store, `by` a key of FIELDS."""

    event_id: str
    by: str
    text: str


@dataclass(frozen=True)
class Question:
    """`gold`: the events that hold the answer; `kind` is what its table has a row for."""

    conversation: str
    text: str
    gold: frozenset[str]
    kind: str


@dataclass
class Tally:
    """Shares of the gold among the first 5 and 10 by kind of question, and milliseconds of every search."""

    shares: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    taken_ms: list[float] = field(default_factory=list)

    def recall(self, kinds: Iterable[str] | None = None) -> tuple[int, float, float]:
        """(questions, mean recall@5, mean recall@10), of all kinds when none is named."""
        rows = [row for kind in kinds or self.shares for row in self.shares[kind]]
        return (
            len(rows),
            statistics.mean(row[0] for row in rows),
            statistics.mean(row[1] for row in rows),
        )


def repository_of(conversation: str) -> str:
    """An id as the product gives them."""
    return f"{conversation}-{hashlib.sha256(conversation.encode()).hexdigest()[:12]}"


def record(graph: Store, conversation: str, sessions: Mapping[str, Sequence[Said]]) -> None:
    """Append each session's messages, in order, as its events; every conversation is a repository."""
    repository = repository_of(conversation)
    for session_id, messages in sessions.items():
        session = Session(
            client="claude_code", session_id=session_id, parent=None, cwd=None, branch=None, repository=repository,
            repository_name=conversation, remote=None, person=PERSON, synthetic=None,
        )  # fmt: skip
        rows = []
        for place, said in enumerate(messages):
            event_name, property_name = FIELDS[said.by]
            at = (BEGAN + timedelta(seconds=place)).isoformat()
            properties = {
                "event_id": said.event_id, "event_name": event_name, "client": "claude_code", "timestamp": at,
                "session_id": session_id, property_name: said.text, "person": PERSON, "repository": repository,
            }  # fmt: skip
            rows.append(
                Row(
                    event_name=event_name, timestamp=at, same=[said.event_id], properties=properties
                )
            )
        append(graph, session, rows)


def settled(graph: Store) -> None:
    """Waits until the index holds what was appended."""
    graph.driver.execute_query("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")


def ask(graph: Store, questions: Sequence[Question]) -> Tally:
    """Each in its own conversation. Twenty are asked once before: a fresh server's first answers are slow."""
    for one in questions[:20]:
        search_events(graph, one.text, PERSON, [repository_of(one.conversation)])
    tally = Tally()
    for one in track(questions, "asking", console=PROGRESS):
        here = [repository_of(one.conversation)]
        began = time.perf_counter()
        found = [hit.event_id for hit in search_events(graph, one.text, PERSON, here, limit=10)]
        tally.taken_ms.append((time.perf_counter() - began) * 1000)
        shares = [len(one.gold.intersection(found[:at])) / len(one.gold) for at in (5, 10)]
        tally.shares.setdefault(one.kind, []).append((shares[0], shares[1]))
    return tally


def table(title: str, tally: Tally, groups: Mapping[str, Iterable[str] | None]) -> Table:
    """A row for each group of kinds (None: all), then the times."""
    shown = Table("questions", "n", "recall@5", "recall@10", title=title)
    for name, kinds in groups.items():
        count, five, ten = tally.recall(kinds)
        shown.add_row(name, str(count), f"{five:.3f}", f"{ten:.3f}")
    cut = statistics.quantiles(tally.taken_ms, n=100, method="inclusive")
    shown.add_row("milliseconds a search", "", f"p50 {cut[49]:.1f}", f"p95 {cut[94]:.1f}")
    return shown
