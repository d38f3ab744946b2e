"""The one way to run a statement: a store is an open driver and the database in it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from neo4j import Driver, ManagedTransaction, Record, Session

from cypher import mapped, statement

Result = TypeVar("Result")
FETCH = 200
"""Records in flight at a time. Events carry long texts, so a long reading keeps its memory flat."""


@dataclass(frozen=True)
class Store:
    """Every method raises the driver's errors (DriverError, Neo4jError) when the store is away or refuses."""

    driver: Driver
    database: str | None = None
    """None: the database that the user of this driver has as its home."""

    def session(self, mode: str = "WRITE") -> Session:
        """A session of the driver, for what needs more than one statement; `mode` is READ or WRITE."""
        return self.driver.session(
            database=self.database, default_access_mode=mode, fetch_size=FETCH
        )

    def ask(self, name: str, parameters: dict[str, Any]) -> list[dict[str, Any]]:
        """The rows of a reading statement for which somebody waits.

        It is planned once for parameters of any size (see `cypher.mapped`), and takes one round trip where a managed
        transaction takes two; in exchange it is not tried again when it fails.
        """
        with self.session("READ") as session:
            return [record.data() for record in session.run(mapped(name), p=parameters)]

    def read(self, name: str, /, **parameters: Any) -> list[Record]:
        """All rows of a reading statement, tried again when the store asks for it."""

        def work(transaction: ManagedTransaction) -> list[Record]:
            return list(transaction.run(statement(name), parameters))

        with self.session("READ") as session:
            return session.execute_read(work)

    @contextmanager
    def stream(self, name: str, /, **parameters: Any) -> Iterator[Iterator[Record]]:
        """The rows of a reading statement one by one; leaving the block drops the rest."""
        with self.session("READ") as session, session.begin_transaction() as transaction:
            yield iter(transaction.run(statement(name), parameters))

    def write(self, name: str, /, **parameters: Any) -> list[Record]:
        """One writing statement in a transaction of its own; its rows."""
        return self.transaction(
            lambda transaction: list(transaction.run(statement(name), parameters))
        )

    def transaction(self, work: Callable[[ManagedTransaction], Result]) -> Result:
        """Run `work` in one transaction, again from its start when the store asks for it."""
        with self.session() as session:
            return session.execute_write(work)
