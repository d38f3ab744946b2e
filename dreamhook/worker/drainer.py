"""The worker's draining thread: one round after another while there is something, patient when the store is away."""

import logging
import threading
import time

from neo4j.exceptions import DriverError, Neo4jError

from dreamhook.config import Config
from dreamhook.record import spooled
from dreamhook.record.drain import drain_round, turn
from dreamhook.store.endpoint import StoreUnavailable
from dreamhook.store.link import Link

log = logging.getLogger("dreamhook")
SWEEP_EVERY_S = 600
FINISH_S = 5.0


class Drainer:
    """Runs in a thread of its own; `wake()` after a ring, `finish()` before leaving."""

    def __init__(self, link: Link, settings: Config, stopping: threading.Event) -> None:
        self.link, self.settings, self.stopping = link, settings, stopping
        self.appended = 0
        self._ring = threading.Event()
        self._last_failure = ""
        self._next_sweep = 0.0

    def wake(self) -> None:
        self._ring.set()

    def run(self) -> None:
        while not self.stopping.is_set():
            if time.monotonic() > self._next_sweep:
                spooled.sweep(time.time())
                self._next_sweep = time.monotonic() + SWEEP_EVERY_S
            self._warm()
            while not self.stopping.is_set() and spooled.waiting() and self.round():
                pass
            self._ring.wait()
            self._ring.clear()

    def finish(self) -> None:
        """Drain what is left, but do not wait for a store that is away."""
        deadline = time.monotonic() + FINISH_S
        while self.link.driver and spooled.waiting() and time.monotonic() < deadline and self.round():
            pass

    def round(self) -> bool:
        """One round; False when the store is away and it is better to wait."""
        try:
            with turn():
                driver = self.link.open()
                done = drain_round(driver, self.settings, self.link.database)
        except StoreUnavailable as error:
            self._say(str(error))
            return False
        except (DriverError, Neo4jError) as error:
            self.link.drop(error)
            self._say(f"append failed, kept in the spool: {type(error).__name__}")
            return False
        self.appended += done.appended
        if done.bad:
            log.warning("%d damaged events set aside in bad/", done.bad)
        self._last_failure = ""
        return True

    def _warm(self) -> None:
        """Have the store open before the first question comes."""
        try:
            self.link.open()
        except StoreUnavailable as error:
            self._say(str(error))

    def _say(self, what: str) -> None:
        if what != self._last_failure:  # once per kind of trouble, not once per try
            log.warning("%s", what)
            self._last_failure = what
