"""The Neo4j of a test run: a given server, a container on demand, else the embedded server of our users."""

import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from dreamhook.store import embedded, jars, server
from dreamhook.store.endpoint import Endpoint

Environment = Callable[[], AbstractContextManager[None]]


def running(environment: Environment) -> AbstractContextManager[Endpoint]:
    """NEO4J_TEST_URI (its content is deleted!), a container with DREAMHOOK_TEST_STORE=docker, else embedded.

    `environment` puts the environment of the whole run in place, for the embedded server's own folders.
    """
    if os.environ.get("NEO4J_TEST_URI"):
        return _given()
    if os.environ.get("DREAMHOOK_TEST_STORE") == "docker":
        return _container()
    return _embedded(environment)


@contextmanager
def _given() -> Iterator[Endpoint]:
    user = os.environ.get("NEO4J_TEST_USER", "neo4j")
    yield Endpoint("given", os.environ["NEO4J_TEST_URI"], user, os.environ["NEO4J_TEST_PASSWORD"])


@contextmanager
def _container() -> Iterator[Endpoint]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # testcontainers' own deprecations are not ours to fail on
        from testcontainers.neo4j import Neo4jContainer

        container = Neo4jContainer(f"neo4j:{jars.version()}-community", password="test-password")
        container.start()
    try:
        yield Endpoint("given", container.get_connection_url(), "neo4j", "test-password")
    finally:
        container.stop()


@contextmanager
def _embedded(environment: Environment) -> Iterator[Endpoint]:
    try:
        with environment():
            endpoint = server.start()
        yield endpoint
    finally:
        with environment():
            server.stop()
            assert embedded.running(None) is None, "the test server did not end"
