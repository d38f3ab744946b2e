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
    """The person's store, started if it is ours and not stopped on purpose. Raises ConfigError, StoreUnavailable.

    The latter for what the store refuses inside the block, too: a person reads one line and not a traceback.
    """
    from neo4j.exceptions import DriverError, Neo4jError

    from dreamhook.store import server
    from dreamhook.store.connect import open_driver
    from dreamhook.store.endpoint import StoreUnavailable

    settings = config.load()
    endpoint = server.ensure_running()
    try:
        with open_driver(endpoint) as driver:
            yield Opened(driver, endpoint.database, settings)
    except (DriverError, Neo4jError) as error:
        why = " ".join(str(getattr(error, "message", None) or error).split())[:200]
        raise StoreUnavailable(
            f"the store did not do it ({why}); `dreamhook doctor` says what is wrong"
        ) from error
