"""Moves what is spooled into the store: parse → scrub → normalise → append → only then delete."""

import fcntl
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dreamhook import harness, paths
from dreamhook.config import Config
from dreamhook.record.append import Row, Session
from dreamhook.record.batch import Batch, Stored, put_batch, size
from dreamhook.record.identify import identify
from dreamhook.record.outcome import outcome
from dreamhook.record.own import is_dreams_own
from dreamhook.record.trim import trim
from dreamhook.repository import exclusion
from dreamhook.repository.checkouts import NOWHERE, Standing, standing
from dreamhook.scrub.key import passing_key
from dreamhook.scrub.scrub import scrub_value
from dreamhook.spool import reader
from dreamhook.spool.reader import DamagedError, Spooled
from dreamhook.store.query import Store
from dreamhook.times import timestamp

ROUND_FILES = 5_000
BATCH_EVENTS = 500
BATCH_BYTES = 2 << 20
"""Characters of one transaction's texts."""
GROUP_EVENTS = 1_000
GROUP_BYTES = 4 << 20
"""What is held of all sessions together before it goes off: the worker's memory is bounded."""
AHEAD = 8
"""Batches read while the store is busy with an earlier one."""
SELFTEST = "dreamhook-selftest-"
"""Sessions whose id begins so are the installer's; they are shown, never dreamed."""


@dataclass
class Drained:
    """What one round did."""

    appended: int = 0
    already_there: int = 0
    bad: int = 0
    dropped: int = 0
    """Excluded, blocked, paused, or the dream's own: nothing of them is kept."""

    def count(self, stored: Stored) -> None:
        self.appended += stored.appended
        self.already_there += stored.already_there
        self.bad += stored.bad

    def progress(self) -> int:
        """Events that wait no longer."""
        return self.appended + self.already_there + self.bad + self.dropped


class Unwanted(Exception):
    """An event that must not be kept."""


@contextmanager
def turn(wait: bool = True) -> Iterator[bool]:
    """One drain at a time on this machine, so that capture order holds. Yields whether it is ours."""
    paths.make_private(paths.state_dir())
    lock = paths.state_file(paths.DRAIN_LOCK)
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        handle = os.open(lock, os.O_RDONLY)  # a disk turned read-only can still be drained
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(handle)


def drain_round(
    store: Store,
    config: Config,
    going_on: Callable[[], bool] = lambda: True,
) -> Drained:
    """Drain up to ROUND_FILES files, oldest first, for as long as `going_on()`.

    Raises the driver's errors when the store is away; nothing is lost. Call it inside `turn()`.
    """
    done = Drained()
    key = passing_key(paths.make_private(paths.config_dir()))
    failed = threading.Event()

    def send(batch: Batch) -> Stored:
        if failed.is_set():
            raise CancelledError  # one that came before it failed: to send this one would break the order
        try:
            return put_batch(store, batch)
        except BaseException:
            failed.set()
            raise

    with ThreadPoolExecutor(
        1, "store"
    ) as storing:  # the next events are read while the store takes these
        sent: deque[Future[Stored]] = deque()
        for batch in _batches(
            _readable(reader.waiting(ROUND_FILES), done, going_on), config, key, done
        ):
            sent.append(storing.submit(send, batch))
            if len(sent) > AHEAD:
                done.count(sent.popleft().result())
        for one in sent:
            done.count(one.result())
            going_on()  # what is sent is waited for, and each that arrives is a step
    return done


def _readable(
    files: Sequence[Path], done: Drained, going_on: Callable[[], bool]
) -> Iterator[Spooled]:
    for file in files:
        if not going_on():
            return
        try:
            yield reader.read(file)
        except FileNotFoundError:
            continue
        except (DamagedError, OSError):
            done.bad += 1
            reader.set_aside(file)


def _batches(
    items: Iterator[Spooled], config: Config, key: bytes, done: Drained
) -> Iterator[Batch]:
    """One batch per session at a time, sessions in the order they appear, GROUP_EVENTS events held at most."""
    open_batches: dict[tuple[str, str], Batch] = {}
    places: dict[str, Standing] = {}
    held = 0
    for item in items:
        try:
            session, row = _normalise(item, config, key, places)
        except Unwanted:
            done.dropped += 1
            reader.remove([item.file])
            continue
        except Exception:  # whatever this payload is, it must not hold up the others
            done.bad += 1
            reader.set_aside(item.file)
            continue
        name = (session["client"], session["session_id"])
        batch = open_batches.get(name)
        if batch and (len(batch.rows) >= BATCH_EVENTS or batch.size + size(row) > BATCH_BYTES):
            held -= len(batch.rows)
            yield open_batches.pop(name)
            batch = None
        if batch is None:
            batch = open_batches[name] = Batch(session)
        batch.session["branch"] = session["branch"] or batch.session["branch"]
        if batch.add(row, item.file):
            held += 1
        else:
            done.already_there += 1
        if held >= GROUP_EVENTS or sum(one.size for one in open_batches.values()) > GROUP_BYTES:
            yield from open_batches.values()
            open_batches.clear()
            held = 0
    yield from open_batches.values()


def _normalise(
    item: Spooled, config: Config, key: bytes, places: dict[str, Standing]
) -> tuple[Session, Row]:
    payload: Any = scrub_value(item.payload, key)
    event = harness.sender(item.client, payload).normalise(payload)
    if is_dreams_own(event) or exclusion.concerns(payload, exclusion.rules()):
        raise Unwanted
    event_id, twins = identify(event, payload, item.time_ns)
    event["event_id"] = event_id
    event["timestamp"] = timestamp(datetime.fromtimestamp(item.time_ns / 1e9, UTC))
    folder = event.get("cwd", "")
    if folder not in places:
        places[folder] = standing(folder, config.repositories) if folder else NOWHERE
    if not places[folder].captured:
        raise Unwanted
    place = places[folder].repository
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
    properties = (
        trim(event, config.output_characters)
        | outcome(event, payload)
        | {"person": config.person, "repository": place.id}
    )
    if place.branch:
        properties["branch"] = place.branch
    return session, Row(
        event_name=event["event_name"],
        timestamp=event["timestamp"],
        same=[event_id, *twins],
        properties=properties,
    )
