"""A driver whose waits are all bounded: the defaults wait a minute for a host that does not answer."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import neo4j
from neo4j import Driver, GraphDatabase, NotificationMinimumSeverity
from neo4j.exceptions import AuthError, DriverError, Neo4jError

from dreamhook import __version__
from dreamhook.store.endpoint import Endpoint, StoreUnavailable
from dreamhook.store.query import Store

logging.getLogger("neo4j").addHandler(logging.NullHandler())
"""Its warnings about retries would reach a person's terminal; what fails is raised anyway."""


def open_driver(endpoint: Endpoint, *, timeout: float = 3.0) -> Driver:
    """A driver for this endpoint; opens no connection yet. Raises StoreUnavailable for a URI that is none.

    `timeout` (s): a host that never answers costs `verify_connectivity` that much and no more. A managed transaction
    is begun anew for as long again, so ask `verify_connectivity` first where waiting hurts.
    """
    try:
        return GraphDatabase.driver(
            endpoint.uri,
            auth=(endpoint.user, endpoint.password),
            connection_timeout=timeout,
            connection_acquisition_timeout=timeout,
            connection_write_timeout=timeout,
            max_transaction_retry_time=timeout,
            keep_alive=True,
            notifications_min_severity=NotificationMinimumSeverity.OFF,
            telemetry_disabled=True,
            user_agent=f"dreamhook/{__version__} neo4j-python/{neo4j.__version__}",
        )
    except (ValueError, DriverError) as error:
        raise StoreUnavailable(
            f"{endpoint.uri} is not a Neo4j address ({error}); correct it"
        ) from error


@contextmanager
def open_store(endpoint: Endpoint, *, timeout: float = 3.0) -> Iterator[Store]:
    """The store at this endpoint for the length of the block; `timeout` and errors as for `open_driver`."""
    with open_driver(endpoint, timeout=timeout) as driver:
        yield Store(driver, endpoint.database)


def logs_in(endpoint: Endpoint, timeout: float = 3.0) -> bool:
    """Whether the store answers and takes the password; False while it does not answer.

    Raises StoreUnavailable when it answers and refuses: waiting would not help.
    """
    with open_driver(endpoint, timeout=timeout) as driver:
        try:
            driver.verify_connectivity()
            return True
        except AuthError as error:
            raise StoreUnavailable(
                f"{endpoint.uri} refuses user {endpoint.user}'s password; correct it"
            ) from error
        except (DriverError, Neo4jError):
            return False
