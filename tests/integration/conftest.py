"""What the tests of recall and of the dream share: a repository and its scope, a person whose sessions are dreamed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from dreamhook.repository import identity
from tests.dream_world import World, make_world
from tests.graph_store import GraphStore


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "shop"
    folder.mkdir()
    return folder


@pytest.fixture
def scope(project):
    return f"repo:{identity.find(str(project)).id}"


@pytest.fixture
def world(
    graph: GraphStore, configured_home: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    with make_world(graph, configured_home, monkeypatch) as made:
        yield made
