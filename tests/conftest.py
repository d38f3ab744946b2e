"""What every test stands on: a home that is not the person's, and a real Neo4j."""

import json
import os
import pwd
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest

TEST_SETTINGS = ("NEO4J_TEST_", "DREAMHOOK_TEST_")
for _name in list(os.environ):
    if _name.startswith(("DREAMHOOK_", "ANTHROPIC_", "NEO4J_")) and not _name.startswith(
        TEST_SETTINGS
    ):
        del os.environ[_name]

if TYPE_CHECKING:
    from dreamhook.store.endpoint import Endpoint
    from tests.graph_store import GraphStore

# The suite draws the same examples each time, so that it says the same each time; no clock decides in it.
# `tests/run.sh --search` looks for new ones.
hypothesis.settings.register_profile(
    "suite",
    derandomize=True,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.register_profile(
    "search",
    max_examples=3_000,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
    print_blob=True,
)
hypothesis.settings.load_profile("suite")

REAL_HOME = pwd.getpwuid(os.getuid()).pw_dir
OFF_LIMITS = tuple(
    f"{REAL_HOME}/{name}"
    for name in (
        *(".local/share/dreamhook", ".local/state/dreamhook", ".config/dreamhook"),
        *(
            "Library/Application Support/dreamhook",
            "Library/LaunchAgents/dreamhook",
            ".config/systemd/user/dreamhook",
        ),
        *(".claude", ".codex", ".cursor"),
    )
)
TOUCHED: list[str] = []


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    """Audit hook: the real home of the product and of the harnesses is not for tests. Noted as well as raised, for
    the programs under test catch every Exception at their edge."""
    if event.startswith(("open", "os.")):
        for path in arguments[:2]:
            if isinstance(path, str) and path.startswith(OFF_LIMITS):
                TOUCHED.append(f"{event} {path}")
                raise AssertionError(f"a test uses the real home: {event} {path}")


sys.addaudithook(_watch)


def environment_of(root: str) -> dict[str, str]:
    """A person who has nothing yet. DREAMHOOK_HOME is short: a socket's path may have 104 bytes on macOS."""
    return {
        "HOME": root,
        "DREAMHOOK_HOME": f"{root}/d",
        "XDG_DATA_HOME": f"{root}/.local/share",
        "XDG_STATE_HOME": f"{root}/.local/state",
        "XDG_CONFIG_HOME": f"{root}/.config",
        "XDG_CACHE_HOME": f"{root}/.cache",
        "XDG_RUNTIME_DIR": f"{root}/run",
    }


SESSION_HOME = tempfile.mkdtemp(prefix="dh-", dir="/tmp")
os.environ.update(
    environment_of(SESSION_HOME)
)  # for what runs outside a test: imports and session fixtures


def pytest_unconfigure() -> None:
    shutil.rmtree(SESSION_HOME, ignore_errors=True)


@pytest.fixture(autouse=True)
def home() -> Iterator[Path]:
    """This test's DREAMHOOK_HOME; HOME is its parent. The real home is off limits."""
    root = tempfile.mkdtemp(prefix="dh-", dir="/tmp")
    with _environment(root):
        Path(root, "d").mkdir(mode=0o700)
        yield Path(root, "d")
    shutil.rmtree(root, ignore_errors=True)
    touched = TOUCHED.copy()
    TOUCHED.clear()
    assert not touched, f"a test used the real home: {touched}"


@contextmanager
def _environment(root: str) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for key, value in environment_of(root).items():
            patch.setenv(key, value)
        yield


@pytest.fixture(scope="session")
def store() -> "Iterator[Endpoint]":
    """The store of this run, migrated. Imported here, for most unit tests need neither driver nor server."""
    from dreamhook.store.connect import open_store
    from dreamhook.store.endpoint import StoreUnavailable
    from dreamhook.store.schema import migrate
    from tests import real_store

    try:
        with real_store.running(lambda: _environment(SESSION_HOME)) as endpoint:
            with open_store(endpoint, timeout=30) as opened:
                migrate(opened)
            yield endpoint
    except StoreUnavailable as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"no Neo4j: {error}")


@pytest.fixture(scope="session")
def driver(store: "Endpoint") -> "Iterator[GraphStore]":
    from dreamhook.store.connect import open_driver
    from tests.graph_store import GraphStore

    with open_driver(store, timeout=30) as opened:
        yield GraphStore(opened, store.database)


@pytest.fixture
def graph(driver: "GraphStore") -> "GraphStore":
    """The store with nothing in it but its schema."""
    driver.execute_query("MATCH (n) WHERE NOT n:SchemaVersion AND NOT n:Counter DETACH DELETE n")
    driver.execute_query("MATCH (c:Counter) SET c.value = 0")
    return driver


@pytest.fixture
def configured_home(home: Path, store: "Endpoint") -> Path:
    """A home whose config.toml names the test store: programs started with this environment reach it."""
    secret = home / "store-password"
    secret.touch(mode=0o600)
    secret.write_text(store.password + "\n", encoding="utf-8")
    quoted = {key: json.dumps(value) for key, value in (("uri", store.uri), ("user", store.user))}
    config = f"[neo4j]\nuri = {quoted['uri']}\nuser = {quoted['user']}\npassword_file = {json.dumps(str(secret))}\n"
    (home / "config.toml").write_text(config, encoding="utf-8")
    return home
