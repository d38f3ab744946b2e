"""The store as the dream uses it: named statements in, plain rows out."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from neo4j import Driver, ManagedTransaction, Record, Session

from cypher import statement

Answer = TypeVar("Answer")
FETCH = 200
"""Records in flight: events carry long texts, so memory stays flat."""


@dataclass(frozen=True)
class Graph:
    """An open driver and the database in it (None: the user's own)."""

    driver: Driver
    database: str | None = None


def read(graph: Graph, name: str, **parameters: Any) -> list[Record]:
    """All rows of a statement."""
    with stream(graph, name, **parameters) as rows:
        return list(rows)


@contextmanager
def stream(graph: Graph, name: str, **parameters: Any) -> Iterator[Iterator[Record]]:
    """Rows of a statement one by one; leaving the block drops the rest."""
    with _session(graph, "READ") as session, session.begin_transaction() as tx:
        yield iter(tx.run(statement(name), parameters))


def write(graph: Graph, work: Callable[[ManagedTransaction], Answer]) -> Answer:
    """Run `work` in one transaction, again from the start when the store asks for it."""
    with _session(graph, "WRITE") as session:
        return session.execute_write(work)


def write_one(graph: Graph, name: str, **parameters: Any) -> Record | None:
    """One writing statement; its first row."""
    return write(graph, lambda tx: next(iter(tx.run(statement(name), parameters)), None))


def _session(graph: Graph, mode: str) -> Session:
    return graph.driver.session(database=graph.database, default_access_mode=mode, fetch_size=FETCH)
