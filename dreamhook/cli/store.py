"""The store, opened for one command."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dreamhook import config
from dreamhook.config import Config

if TYPE_CHECKING:
    from dreamhook.store.query import Store


@contextmanager
def opened() -> "Iterator[tuple[Store, Config]]":
    """The person's store, started if it is ours and not stopped on purpose, and their settings.

    Raises ConfigError and StoreUnavailable; the latter for what the store refuses inside the block, too: a person
    reads one line and not a traceback.
    """
    from neo4j.exceptions import DriverError, Neo4jError

    from dreamhook.store import server
    from dreamhook.store.connect import open_store
    from dreamhook.store.endpoint import StoreUnavailable

    settings = config.load()
    endpoint = server.ensure_running()
    try:
        with open_store(endpoint) as store:
            yield store, settings
    except (DriverError, Neo4jError) as error:
        why = " ".join(str(getattr(error, "message", None) or error).split())[:200]
        raise StoreUnavailable(
            f"the store did not do it ({why}); `dreamhook doctor` says what is wrong"
        ) from error
