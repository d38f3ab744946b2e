"""Events of one session on their way into the store, with the files that may go when they are there."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from neo4j.exceptions import AuthError, Forbidden, Neo4jError

from dreamhook.record.append import Row, Session, append, takes_writes
from dreamhook.spool import reader
from dreamhook.store.query import Store

NOT_THE_EVENTS = tuple(
    f"Neo.ClientError.{kind}"
    for kind in (
        "Security",
        "Transaction",
        "Database",
        "Cluster",
        "General",
        "Statement.SyntaxError",
    )
)
"""Errors that say something of the store or of our statement. Whatever they are, the events wait."""


@dataclass
class Batch:
    """Events of one session, in capture order, with the files they came from."""

    session: Session
    rows: list[Row] = field(default_factory=list)
    files: list[list[Path]] = field(default_factory=list)
    """Beside each row the files that hold it: more than one when two registrations reported the same event."""
    place: dict[str, int] = field(default_factory=dict)
    """Event id → its row."""
    size: int = 0
    """Characters of its texts."""

    def add(self, row: Row, file: Path) -> bool:
        """Put an event at the end; False when it is one that the batch has already."""
        twin = next((self.place[known] for known in row["same"] if known in self.place), None)
        if twin is not None:
            self.files[twin].append(file)
            return False
        self.place[row["same"][0]] = len(self.rows)
        self.rows.append(row)
        self.files.append([file])
        self.size += size(row)
        return True


def size(row: Row) -> int:
    return sum(len(value) for value in row["properties"].values() if isinstance(value, str))


@dataclass
class Stored:
    """What became of a batch."""

    appended: int = 0
    already_there: int = 0
    bad: int = 0

    def __add__(self, other: "Stored") -> "Stored":
        return Stored(
            self.appended + other.appended,
            self.already_there + other.already_there,
            self.bad + other.bad,
        )


def put_batch(store: Store, batch: Batch) -> Stored:
    """Append a batch and let go of its files. Raises the driver's errors when it is the store's trouble.

    An event that the store refuses is found by halving and set aside, in its place and without holding up the others.
    """
    return _store(
        lambda rows: append(store, batch.session, rows),
        batch.rows,
        batch.files,
        store,
    )


def _store(
    send: Callable[[list[Row]], int],
    rows: list[Row],
    files: list[list[Path]],
    store: Store,
) -> Stored:
    try:
        appended = send(rows)
    except (Neo4jError, OverflowError, TypeError, ValueError) as error:
        if isinstance(error, Neo4jError) and _is_the_stores(error):
            raise
        if len(rows) > 1:
            half = len(rows) // 2
            return _store(send, rows[:half], files[:half], store) + _store(
                send, rows[half:], files[half:], store
            )
        if not takes_writes(store):
            raise  # it refuses everybody: the event is not to blame
        for file in files[0]:
            reader.set_aside(file)
        return Stored(bad=1)
    reader.remove([file for held in files for file in held])
    return Stored(appended, len(rows) - appended)


def _is_the_stores(error: Neo4jError) -> bool:
    code = str(error.code)
    if "OutOfMemory" in code:
        return False  # half of the batch may fit
    return (
        isinstance(error, AuthError | Forbidden)
        or error.is_retryable()
        or code.startswith(NOT_THE_EVENTS)
    )
