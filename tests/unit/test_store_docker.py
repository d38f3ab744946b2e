"""What Docker is asked: the command line that reaches its client. A real engine belongs to the integration tests."""

import json
import os
import sys

import pytest

from dreamhook.store import docker, jars, state
from dreamhook.store.endpoint import StoreUnavailable


@pytest.fixture
def client(tmp_path, monkeypatch):
    """A `docker` first on PATH that notes its arguments and fails as told by the file `fails`."""
    log, program = tmp_path / "log", tmp_path / "docker"
    program.write_text(
        f"#!{sys.executable} -IS\nimport json, os, sys\n"
        f"open({str(log)!r}, 'a').write(json.dumps([sys.argv[1:], dict(os.environ)]) + '\\n')\n"
        f"if os.path.exists({str(tmp_path)!r} + '/fails-' + sys.argv[1]):\n"
        "    print('no such image', file=sys.stderr)\n    sys.exit(1)\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    return tmp_path


def asked(client):
    return [json.loads(line)[0] for line in (client / "log").read_text().splitlines()]


def test_a_client_without_an_engine_is_not_docker(client):
    (client / "fails-version").touch()
    assert docker.engine_answers() is False


def test_no_client_is_not_docker(monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    assert docker.engine_answers() is False


def test_an_image_that_cannot_be_had_is_said_in_one_line(client):
    (client / "fails-run").touch()
    with pytest.raises(
        StoreUnavailable, match="Docker cannot start Neo4j: no such image; the data is untouched"
    ):
        docker.start()
    assert asked(client)[-1][:2] == ["rm", "--force"]


def test_the_container_is_pinned_private_and_knows_no_password_from_its_arguments(client):
    (client / "fails-run").touch()
    with pytest.raises(StoreUnavailable):
        docker.start()
    run = next(words for words in asked(client) if words[0] == "run")
    assert run[-1] == f"neo4j:{jars.version()}-community"
    published = [run[at + 1] for at, word in enumerate(run) if word == "--publish"]
    assert len(published) == 2
    assert all(value.startswith("127.0.0.1:") for value in published)
    password = (state.home() / "password").read_text().strip()
    assert password not in (client / "log").read_text()
    assert "NEO4J_dbms_security_allow__csv__import__from__file__urls=false" in run
    assert "NEO4J_internal_dbms_cypher__ip__blocklist=0.0.0.0/0,::/0" in run
    assert "NEO4J_dbms_usage__report_enabled=false" in run
