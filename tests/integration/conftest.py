"""What the tests of recall share: a repository, and its scope."""

import pytest

from dreamhook import repository


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "shop"
    folder.mkdir()
    return folder


@pytest.fixture
def scope(project):
    return f"repo:{repository.find(str(project)).id}"
