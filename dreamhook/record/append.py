"""Writes a batch of events to the end of one session's list, in one transaction."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypedDict

from neo4j import ManagedTransaction, unit_of_work
from neo4j.exceptions import ClientError, ConstraintError

from cypher import statement
from dreamhook.store.endpoint import StoreUnavailable
from dreamhook.store.query import Store
from dreamhook.times import now, timestamp

TRIES = 3
TRANSACTION_S = 60
"""The store gives up a batch after that long, say behind somebody who holds the counter and has gone."""
SILENT_S = 24 * 3600
"""A session without an event for this long is over, whatever it did not say."""


class Session(TypedDict):
    """What the store should know of a session; all optional values may be None."""

    client: str
    session_id: str
    parent: str | None
    cwd: str | None
    branch: str | None
    repository: str
    repository_name: str
    remote: str | None
    person: str
    synthetic: bool | None


class Row(TypedDict):
    """One event to append: its node's properties, and every id under which it may be there already."""

    event_name: str
    timestamp: str
    same: list[str]
    properties: dict[str, Any]


class _NoCounterError(Exception):
    """The store was emptied by hand."""


def append(store: Store, session: Session, rows: Sequence[Row]) -> int:
    """Append in order; returns how many were new. Safe to repeat. Raises the driver's errors."""
    ends = ["SessionEnd", "SubagentStop"] if session["parent"] else ["SessionEnd"]
    parameters = {"session": dict(session), "events": [dict(row) for row in rows], "ends": ends}

    def work(transaction: ManagedTransaction) -> int:
        record = transaction.run(statement("append_events"), parameters, now=now()).single()
        if record:
            return int(record["appended"])
        if not transaction.run(statement("append_probe"), now=now()).single(strict=True)[
            "counters"
        ]:
            raise _NoCounterError  # nothing was appended: without this, all would pass for known
        return 0

    with store.session() as connection:
        for attempt in range(1, TRIES + 1):
            try:
                return connection.execute_write(unit_of_work(timeout=TRANSACTION_S)(work))
            except ConstraintError:
                # Two machines make the same session at once: the loser of that race only has to look again.
                if attempt == TRIES:
                    raise
            except _NoCounterError:
                connection.run(statement("append_counter")).consume()
    raise StoreUnavailable(
        "the store lost its counter and takes no new one; events wait in the spool"
    )


def takes_writes(store: Store) -> bool:
    """Whether the store takes any write at all. Raises what it raises when it is away."""
    try:
        summary = store.transaction(
            lambda transaction: transaction.run(statement("append_probe"), now=now()).consume()
        )
    except ClientError:
        return False
    return bool(summary.counters.properties_set)


def close_silent(store: Store, silent_s: float = SILENT_S) -> int:
    """End the sessions that never said they ended, at their last event; how many."""
    before = timestamp(datetime.now(UTC) - timedelta(seconds=silent_s))
    return int(store.write("append_close_silent", before=before)[0]["closed"])
