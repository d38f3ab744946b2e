"""The worker's draining thread: one round after another while there is something, patient when the store is away."""

import logging
import threading
import time
from collections.abc import Callable

from neo4j.exceptions import DriverError, Neo4jError

from dreamhook.config import Config
from dreamhook.record.append import close_silent
from dreamhook.record.drain import drain_round, turn
from dreamhook.spool import quota, reader
from dreamhook.store.endpoint import StoreUnavailable
from dreamhook.store.link import Link

log = logging.getLogger("dreamhook")
SURVEY_EVERY_S = 15
SWEEP_EVERY_S = 600
FINISH_S = 5.0
GATHER_S = 0.15
"""Between a ring and its round: events come in bursts, and the hook that rang still needs the processor to end."""


class Drainer:
    """Runs in a thread of its own; `wake()` after a ring, `finish()` before leaving."""

    def __init__(self, link: Link, settings: Config, stopping: threading.Event) -> None:
        self.link, self.settings, self.stopping = link, settings, stopping
        self.appended = self.rounds = self.failures = 0
        self._thread = threading.Thread(target=self._run, name="drain", daemon=True)
        self._ring = threading.Event()
        self._busy_since: float | None = None
        self._last_failure = ""
        self._next_survey = self._next_sweep = self._next_closing = self._next_expiry = 0.0

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        self._ring.set()

    def busy_s(self) -> float:
        """How long the store has not brought us a step further; 0 while nothing is asked of it."""
        since = self._busy_since
        return time.monotonic() - since if since is not None else 0.0

    def finish(self) -> bool:
        """Drain what is left, but do not wait for a store that is away. False when the thread hangs in a round."""
        deadline = time.monotonic() + FINISH_S
        self.wake()
        self._thread.join(FINISH_S)
        if self._thread.is_alive():
            return False

        def in_time() -> bool:
            return time.monotonic() < deadline

        while self.link.store and reader.anything_waits() and in_time() and self._round(in_time):
            pass
        return True

    def _run(self) -> None:
        while not self.stopping.is_set():
            try:
                self._upkeep()
                while self._warm() and not self.stopping.is_set() and reader.anything_waits():
                    if not self._round(self._going_on):
                        break
                    self._upkeep()
            except (
                Exception
            ) as error:  # the thread's edge: whatever it was, the next ring tries again
                self._failed(
                    f"drain: {type(error).__name__} {getattr(error, 'strerror', None) or ''}".strip()
                )
            self._busy_since = None
            self._ring.wait()
            self.stopping.wait(GATHER_S)
            self._ring.clear()

    def _going_on(self) -> bool:
        self._busy_since = time.monotonic()
        return not self.stopping.is_set()

    def _round(self, going_on: Callable[[], bool]) -> bool:
        """One round; False when the store is away, or nothing moves, and it is better to wait."""
        try:
            with turn():
                store = self.link.open()  # may have to fetch and start a store: that is no wedge
                self._busy_since = time.monotonic()
                done = drain_round(store, self.settings, going_on)
        except StoreUnavailable as error:
            self._failed(str(error))
            return False
        except (DriverError, Neo4jError) as error:
            self.link.drop(error)
            self._failed(f"append failed, kept in the spool: {type(error).__name__}")
            return False
        finally:
            self._busy_since = None
        self.rounds += 1
        self.appended += done.appended
        if done.bad:
            log.warning("%d damaged events set aside in bad/", done.bad)
        self._last_failure = ""
        return done.progress() > 0

    def _upkeep(self) -> None:
        now = time.monotonic()
        if now > self._next_survey:
            quota.survey(self.settings.spool_mb << 20, self.settings.spool_files)
            self._next_survey = now + SURVEY_EVERY_S
        if now > self._next_sweep:
            quota.sweep(time.time())
            self._next_sweep = now + SWEEP_EVERY_S
        if now > self._next_closing and self.link.store:
            self._busy_since = now  # a store that falls silent may do so here as well as in a round
            try:
                close_silent(self.link.store)
            except (DriverError, Neo4jError) as error:
                self.link.drop(error)
            finally:
                self._busy_since = None
            self._next_closing = now + SWEEP_EVERY_S

    def _expire(self) -> None:
        """Only while the store is away: what waited while this machine was off gets its chance first."""
        now = time.monotonic()
        if now > self._next_expiry:
            expired = quota.expire(time.time(), self.settings.spool_days * 86_400)
            if expired:
                log.warning("%d events waited too long, kept compressed in expired/", expired)
            self._next_expiry = now + SWEEP_EVERY_S

    def _warm(self) -> bool:
        """Have the store open before the first question comes; whether it is."""
        try:
            self.link.open()
        except StoreUnavailable as error:
            self._failed(str(error))
            self._expire()
            return False
        return True

    def _failed(self, what: str) -> None:
        self.failures += 1
        if what != self._last_failure:  # once per kind of trouble, not once per try
            log.warning("%s", what)
            self._last_failure = what
