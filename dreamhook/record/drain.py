"""Moves what is spooled into the store: parse → scrub → normalise → append → only then delete."""

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from neo4j import Driver
from neo4j.exceptions import AuthError, ClientError, ConstraintError, Neo4jError

from dreamhook import harness, paths, repository
from dreamhook.config import Config
from dreamhook.record import spooled
from dreamhook.record.append import Row, Session, append
from dreamhook.record.identify import identify
from dreamhook.record.spooled import DamagedError, Spooled
from dreamhook.record.trim import trim
from dreamhook.scrub.scrub import load_key, scrub_value

ROUND_FILES = 2_000
ROUND_BYTES = 32 << 20
BATCH_EVENTS = 500
BATCH_BYTES = 2 << 20
SELFTEST = "dreamhook-selftest-"
"""Sessions whose id begins so are the installer's; they are shown, never dreamed."""


@dataclass
class Drained:
    """What one round did."""

    appended: int = 0
    already_there: int = 0
    bad: int = 0


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

    def add(self, row: Row, file: Path) -> bool:
        """Put an event at the end; False when it is one that the batch has already."""
        twin = next((self.place[known] for known in row["same"] if known in self.place), None)
        if twin is not None:
            self.files[twin].append(file)
            return False
        self.place[row["same"][0]] = len(self.rows)
        self.rows.append(row)
        self.files.append([file])
        self.size += _size(row)
        return True


@contextmanager
def turn(wait: bool = True) -> Iterator[bool]:
    """One drain at a time on this machine, so that capture order holds. Yields whether it is ours."""
    handle = os.open(paths.make_private(paths.state_dir()) + "/drain.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(handle)


def drain_round(driver: Driver, config: Config, database: str | None = None) -> Drained:
    """Drain up to ROUND_FILES files, oldest first. Raises the driver's errors when the store is away; nothing is lost.

    Call it inside `turn()`.
    """
    done = Drained()
    key = load_key(paths.make_private(paths.config_dir()))
    for batch in _batches(_readable(spooled.waiting()[:ROUND_FILES], done), config, key, done):
        _store(driver, batch, done, database)
    return done


def _readable(files: Sequence[Path], done: Drained) -> Iterator[Spooled]:
    total = 0
    for file in files:
        try:
            total += file.stat().st_size
            if total > ROUND_BYTES and total != file.stat().st_size:
                return  # the next round begins here
            yield spooled.read(file)
        except FileNotFoundError:
            continue
        except DamagedError:
            done.bad += 1
            spooled.set_aside(file)


def _batches(items: Iterator[Spooled], config: Config, key: bytes, done: Drained) -> Iterator[Batch]:
    """One batch per session at a time, sessions in the order they appear."""
    open_batches: dict[tuple[str, str], Batch] = {}
    places: dict[str, repository.Repository] = {}
    for item in items:
        try:
            session, row = _normalise(item, config, key, places)
        except Exception:  # whatever this payload is, it must not hold up the others
            done.bad += 1
            spooled.set_aside(item.file)
            continue
        name = (session["client"], session["session_id"])
        batch = open_batches.get(name)
        if batch and (len(batch.rows) >= BATCH_EVENTS or batch.size + _size(row) > BATCH_BYTES):
            yield open_batches.pop(name)
            batch = None
        if batch is None:
            batch = open_batches[name] = Batch(session)
        batch.session["branch"] = session["branch"] or batch.session["branch"]
        done.already_there += not batch.add(row, item.file)
    yield from open_batches.values()


def _size(row: Row) -> int:
    return sum(len(value) for value in row["properties"].values() if isinstance(value, str))


def _normalise(
    item: Spooled, config: Config, key: bytes, places: dict[str, repository.Repository]
) -> tuple[Session, Row]:
    payload: Any = scrub_value(item.payload, key)
    event = harness.sender(item.client, payload).normalise(payload)
    event_id, twins = identify(event, payload, item.time_ns)
    event["event_id"] = event_id
    event["timestamp"] = datetime.fromtimestamp(item.time_ns / 1e9, UTC).isoformat(timespec="microseconds")
    folder = event.get("cwd", "")
    if folder not in places:
        places[folder] = repository.find(folder) if folder else repository.Repository("unknown", "unknown", None, None)
    place = places[folder]
    session = Session(
        client=event["client"],
        session_id=event["session_id"],
        parent=event.get("parent_session_id"),
        cwd=folder or None,
        branch=place.branch,
        repository=place.id,
        repository_name=place.name,
        remote=place.remote,
        person=config.person,
        synthetic=event["session_id"].startswith(SELFTEST) or None,
    )
    properties = trim(event) | {"person": config.person, "repository": place.id}
    if place.branch:
        properties["branch"] = place.branch
    return session, Row(
        event_name=event["event_name"], timestamp=event["timestamp"], same=[event_id, *twins], properties=properties
    )


def _store(driver: Driver, batch: Batch, done: Drained, database: str | None) -> None:
    """Append a batch; one event that the store refuses is found and set aside, the others go in."""
    try:
        appended = append(driver, batch.session, batch.rows, database)
    except (AuthError, ConstraintError):
        raise  # not the batch's fault: wrong password, or a race for a new session that the next round wins
    except ClientError as error:
        if error.is_retryable():
            raise
        _store_singly(driver, batch, done, database)
        return
    done.appended += appended
    done.already_there += len(batch.rows) - appended
    spooled.remove([file for files in batch.files for file in files])


def _store_singly(driver: Driver, batch: Batch, done: Drained, database: str | None) -> None:
    for row, files in zip(batch.rows, batch.files, strict=True):
        try:
            done.appended += append(driver, batch.session, [row], database)
        except AuthError:
            raise
        except Neo4jError as error:
            if error.is_retryable():
                raise
            done.bad += 1
            for file in files:
                spooled.set_aside(file)
        else:
            spooled.remove(files)
