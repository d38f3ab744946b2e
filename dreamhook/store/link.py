"""A process's link to the store: opened when it can be, dropped when it fails, never waited for twice in a row."""

import threading
import time
from collections.abc import Callable

from neo4j.exceptions import AuthError, DriverError, Neo4jError

from dreamhook.store import server
from dreamhook.store.connect import open_driver
from dreamhook.store.endpoint import Endpoint, StoreUnavailable
from dreamhook.store.query import Store
from dreamhook.store.schema import migrate

NOT_TRIED = "not tried yet"
PAUSES_S = (0.5, 1, 2, 4, 8, 15, 30)


class Link:
    """Holds at most one open store. `store` is None while it is away."""

    def __init__(self, opened: Callable[[Store], None] = lambda _store: None) -> None:
        """`opened` is told of the store each time it was opened, and must come back at once."""
        self._opened = opened
        self.store: Store | None = None
        self.endpoint: Endpoint | None = None
        self.failure = NOT_TRIED
        self._failures = 0
        self._next_try = 0.0
        self._lock = threading.Lock()

    def open(self, force: bool = False) -> Store:
        """The open store, opening it (and starting a store we manage) if need be.

        Raises StoreUnavailable: at once within the pause after a failure, unless `force`.
        """
        with self._lock:
            if self.store:
                return self.store
            if not force and time.monotonic() < self._next_try:
                raise StoreUnavailable(self.failure)
            try:
                self.endpoint = server.ensure_running()
                driver = open_driver(self.endpoint)
                try:
                    driver.verify_connectivity()
                    store = Store(driver, self.endpoint.database)
                    migrate(store)
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
            self.store, self._failures, self.failure = store, 0, ""
            self._opened(store)
            return store

    def drop(self, error: Exception) -> None:
        """Forget a driver whose connection failed; the next open() makes a new one after a pause.

        An error that the store itself reports (it is busy, a lock timed out) leaves the driver as it is.
        """
        with self._lock:
            if isinstance(error, Neo4jError) and not isinstance(error, AuthError) and self.store:
                return
            if self.store:
                self.store.driver.close()
            self.store = None
            self._failed(f"the store went away: {type(error).__name__}")

    def close(self) -> None:
        with self._lock:
            if self.store:
                self.store.driver.close()
            self.store = None

    def _failed(self, why: str) -> None:
        self.failure = why
        self._next_try = time.monotonic() + PAUSES_S[min(self._failures, len(PAUSES_S) - 1)]
        self._failures += 1
