"""Writes a batch of events to the end of one session's list, in one transaction."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, TypedDict

from neo4j import Driver, ManagedTransaction

from cypher import statement


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


def append(driver: Driver, session: Session, rows: Sequence[Row], database: str | None = None) -> int:
    """Append in order; returns how many were new. Safe to repeat. Raises the driver's errors."""

    def work(transaction: ManagedTransaction) -> int:
        now = datetime.now(UTC).isoformat()
        record = transaction.run(
            statement("append_events"), session=dict(session), events=[dict(row) for row in rows], now=now
        ).single()
        return int(record["appended"]) if record else 0

    with driver.session(database=database) as connection:
        return connection.execute_write(work)
