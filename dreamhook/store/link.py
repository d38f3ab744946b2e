"""A process's link to the store: opened when it can be, dropped when it fails, never waited for twice in a row."""

import threading
import time
from collections.abc import Callable

from neo4j import Driver
from neo4j.exceptions import AuthError, DriverError, Neo4jError

from dreamhook.store import server
from dreamhook.store.connect import open_driver
from dreamhook.store.endpoint import Endpoint, StoreUnavailable
from dreamhook.store.schema import migrate

NOT_TRIED = "not tried yet"
PAUSES_S = (0.5, 1, 2, 4, 8, 15, 30)


class Link:
    """Holds at most one open driver. `driver` is None while the store is away."""

    def __init__(self, opened: Callable[[Driver], None] = lambda _driver: None) -> None:
        """`opened` is told each new driver, and must come back at once."""
        self._opened = opened
        self.driver: Driver | None = None
        self.endpoint: Endpoint | None = None
        self.failure = NOT_TRIED
        self._failures = 0
        self._next_try = 0.0
        self._lock = threading.Lock()

    @property
    def database(self) -> str | None:
        return self.endpoint.database if self.endpoint else None

    def open(self, force: bool = False) -> Driver:
        """The open driver, opening it (and starting a store we manage) if need be.

        Raises StoreUnavailable: at once within the pause after a failure, unless `force`.
        """
        with self._lock:
            if self.driver:
                return self.driver
            if not force and time.monotonic() < self._next_try:
                raise StoreUnavailable(self.failure)
            try:
                self.endpoint = server.ensure_running()
                driver = open_driver(self.endpoint)
                try:
                    driver.verify_connectivity()
                    migrate(driver, self.endpoint.database)
                except BaseException:
                    driver.close()
                    raise
            except StoreUnavailable as error:
                self._failed(str(error))
                raise
            except (DriverError, Neo4jError) as error:
                self._failed(
                    f"the store at {self.endpoint.uri if self.endpoint else '?'} does not answer: {error}"
                )
                raise StoreUnavailable(self.failure) from error
            self.driver, self._failures, self.failure = driver, 0, ""
            self._opened(driver)
            return driver

    def drop(self, error: Exception) -> None:
        """Forget a driver whose connection failed; the next open() makes a new one after a pause.

        An error that the store itself reports (it is busy, a lock timed out) leaves the driver as it is.
        """
        with self._lock:
            if isinstance(error, Neo4jError) and not isinstance(error, AuthError) and self.driver:
                return
            if self.driver:
                self.driver.close()
            self.driver = None
            self._failed(f"the store went away: {type(error).__name__}")

    def close(self) -> None:
        with self._lock:
            if self.driver:
                self.driver.close()
            self.driver = None

    def _failed(self, why: str) -> None:
        self.failure = why
        self._next_try = time.monotonic() + PAUSES_S[min(self._failures, len(PAUSES_S) - 1)]
        self._failures += 1
