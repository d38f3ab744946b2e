"""What the tests on real harness binaries share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import tomlkit

from tests.lab.gate import Gate


@pytest.fixture
def gate(configured_home: Path) -> Iterator[Gate]:
    """A door in front of the tests' store, closed."""
    config = tomlkit.parse((configured_home / "config.toml").read_text(encoding="utf-8"))
    with Gate(str(config["neo4j"]["uri"])) as gate:
        yield gate
