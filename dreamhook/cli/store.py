"""The store, opened for one command."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from dreamhook import config
from dreamhook.config import Config

if TYPE_CHECKING:
    from neo4j import Driver


class Opened(NamedTuple):
    """An open store and whose command this is."""

    driver: "Driver"
    database: str | None
    settings: Config


@contextmanager
def opened() -> Iterator[Opened]:
    """The person's store, started if it is ours and not stopped on purpose. Raises ConfigError, StoreUnavailable."""
    from dreamhook.store import managed
    from dreamhook.store.connect import open_driver

    settings = config.load()
    endpoint = managed.ensure_running()
    with open_driver(endpoint) as driver:
        yield Opened(driver, endpoint.database, settings)
