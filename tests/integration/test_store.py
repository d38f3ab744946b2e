"""The embedded server for real: started, killed, started again; and what it refuses."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner
from neo4j.exceptions import AuthError, ClientError, DriverError

import cypher
from dreamhook.cli.neo4j import neo4j_group
from dreamhook.store import embedded, jars, ports, process, server, state
from dreamhook.store.connect import logs_in, open_driver
from dreamhook.store.endpoint import Endpoint, StoreUnavailable
from dreamhook.store.schema import migrate
from dreamhook.store.state import endpoint
from tests.files import there
from tests.listening import listening

pytestmark = pytest.mark.neo4j

START = "from dreamhook.store import server; print(server.start(progress=False).uri)"


@pytest.fixture
def managed_home(home):
    """A home whose store is the embedded one, stopped at the end."""
    yield home
    server.stop()
    assert embedded.running(None) is None


def pid():
    return embedded.running(state.read())


def die(number):
    os.kill(number, signal.SIGKILL)
    while pid() is not None:
        time.sleep(0.05)


def count(store):
    with open_driver(store) as driver:
        return driver.execute_query("MATCH (n:Note) RETURN count(n) AS n").records[0]["n"]


def test_a_started_server_is_private_and_reads_nothing_for_anyone(managed_home, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-a-provider")
    store = server.start()
    number = pid()

    assert server.start() == store
    assert pid() == number

    proc = Path(f"/proc/{number}")
    if proc.exists():
        assert store.password.encode() not in (proc / "cmdline").read_bytes()
        environment = (proc / "environ").read_bytes()
        assert store.password.encode() not in environment
        assert b"sk-of-a-provider" not in environment
        assert os.readlink(proc / "fd" / "0") == "/dev/null"
        assert os.readlink(proc / "cwd") == str(state.home())
        assert listening(number) == {"127.0.0.1"}

    modes = there(state.home(), lambda path: path.stat().st_mode & 0o077)
    assert modes
    assert not [path for path, open_to_others in modes.items() if open_to_others]
    assert state.home().stat().st_mode & 0o777 == 0o700

    assert b"Neo4j Browser" in urllib.request.urlopen(store.http_url, timeout=30).read()

    for _ in range(5):  # a stranger's guesses lock nobody out
        with (
            open_driver(Endpoint("given", store.uri, "neo4j", "neo4j")) as stranger,
            pytest.raises(AuthError),
        ):
            stranger.verify_connectivity()

    with open_driver(store) as driver:
        for url in ("file:///etc/passwd", store.http_url, "http://localhost:1/"):
            with pytest.raises(ClientError, match="Cannot load from URL"):
                driver.execute_query("LOAD CSV FROM $url AS line RETURN line", url=url)
        settings = {
            row["name"]: row["value"]
            for row in driver.execute_query(
                "SHOW SETTINGS YIELD name, value RETURN name, value"
            ).records
        }
    assert settings["dbms.usage_report.enabled"] == "false"
    assert settings["dbms.security.auth_enabled"] == "true"
    assert settings["db.logs.query.enabled"] == "OFF"
    assert settings["dbms.memory.transaction.total.max"] == "192.00MiB"


def test_a_killed_server_comes_back_with_its_data_and_password(managed_home):
    store = server.start()
    with open_driver(store) as driver:
        driver.execute_query("CREATE (:Note)")
    first = pid()
    die(first)
    assert server.status()["running"] is False
    again = server.ensure_running()
    assert pid() != first
    assert again.password == store.password
    assert count(again) == 1


def test_after_a_reboot_the_number_of_another_process_is_left_alone(managed_home):
    server.start()
    die(pid())
    innocent = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        known = state.read()
        state.write(state.State(known.kind, known.version, known.bolt, known.http, innocent.pid))
        assert server.status()["running"] is False
        server.start()
        server.stop()
        assert innocent.poll() is None
    finally:
        innocent.kill()
        innocent.wait()


def test_a_used_port_gives_another_port(managed_home):
    taken = []
    for port in (ports.BOLT, ports.HTTP):
        if not ports.answers(port):
            taken.append(socket.create_server(("127.0.0.1", port)))
    try:
        store = server.start()
        assert str(ports.BOLT) not in store.uri
        assert str(ports.HTTP) not in store.http_url
        assert logs_in(endpoint())
    finally:
        for one in taken:
            one.close()


def test_a_server_that_hangs_does_not_hold_the_worker(managed_home):
    store = server.start()
    number = pid()
    os.kill(number, signal.SIGSTOP)
    try:
        assert server.ensure_running() == store  # waiting for it would be start()
        assert server.status()["running"] is False
    finally:
        os.kill(number, signal.SIGCONT)


def test_a_store_of_before_that_still_runs_in_docker_is_named_and_then_opened_here(managed_home):
    with socket.create_server(("127.0.0.1", 0)) as container:
        state.write(state.State("docker", "5.26.30", container.getsockname()[1], 1))
        with pytest.raises(StoreUnavailable, match="`docker stop dreamhook-neo4j-"):
            server.start()
        with pytest.raises(StoreUnavailable, match="`docker stop dreamhook-neo4j-"):
            server.ensure_running()
    assert server.start().kind == "embedded"
    assert state.read().kind == "embedded"


def test_two_starts_at_once_and_one_that_is_killed_give_one_server(managed_home):
    killed = subprocess.Popen([sys.executable, "-c", START], stdout=subprocess.DEVNULL)
    while pid() is None:
        time.sleep(0.02)
        assert killed.poll() is None, "the start ended before its server appeared"
    number = pid()
    killed.kill()
    killed.wait()

    both = [
        subprocess.Popen([sys.executable, "-c", START], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = {one.communicate()[0] for one in both}
    assert said == {endpoint().uri + "\n"}
    assert [one.returncode for one in both] == [0, 0]
    assert pid() == number or embedded.running(None) == pid()


def test_a_lost_state_file_does_not_leave_a_server_behind(managed_home):
    server.start()
    number, argument = pid(), f"@{state.home()}/conf/java.args"
    (state.home() / "state.json").unlink()
    store = server.start()
    assert process.find(argument, number) == pid() != number
    assert logs_in(store)


def test_a_home_with_spaces_and_other_scripts_works_without_a_locale(
    managed_home, monkeypatch, tmp_path
):
    monkeypatch.setenv("DREAMHOOK_HOME", str(tmp_path / 'zoë "q" 記憶'))
    monkeypatch.setenv("LC_ALL", "C")
    try:
        assert logs_in(server.start())
    finally:
        assert server.stop()


def test_a_server_that_cannot_start_says_why_in_one_line(managed_home):
    (state.home() / "data").mkdir()
    (state.home() / "data" / "databases").write_text("not a folder")
    with pytest.raises(
        StoreUnavailable, match=r"^Neo4j ended while it started: .*databases.*the data is untouched"
    ) as told:
        server.start()
    assert "\n" not in str(told.value)


def test_the_command_line_starts_shows_and_stops(managed_home):
    def run(*words):
        return CliRunner().invoke(neo4j_group, words, catch_exceptions=False)

    def shown():
        return json.loads(run("status", "--json").stdout)

    assert shown()["running"] is False
    assert "Neo4j answers at bolt://127.0.0.1:" in run("start").stdout
    found = shown()
    assert (found["kind"], found["running"], found["version"]) == ("embedded", True, jars.version())
    assert found["password_file"] == str(state.home() / "password")
    assert set(found) == {
        *("kind", "running", "uri", "http_url", "user", "password_file", "version", "pid", "data"),
        *("stopped_on_purpose", "problem"),
    }
    browse = run("browse").stdout
    assert found["http_url"] in browse
    assert found["password_file"] in browse
    assert (state.home() / "password").read_text().strip() not in browse
    assert "stopped" in run("stop").stdout
    assert "was not running" in run("stop").stdout
    assert shown()["stopped_on_purpose"] is True
    with pytest.raises(StoreUnavailable, match="stopped"):
        server.ensure_running()


def test_the_schema_is_applied_once_even_by_two_at_once(driver, store):
    assert migrate(driver) == []
    driver.execute_query("MATCH (v:SchemaVersion) DETACH DELETE v")
    together = [threading.Thread(target=migrate, args=[driver]) for _ in range(4)]
    for one in together:
        one.start()
    for one in together:
        one.join()
    noted = driver.execute_query(
        "MATCH (v:SchemaVersion) RETURN v.name AS name ORDER BY v.version"
    ).records
    assert [row["name"] for row in noted] == [name for _, name, _ in cypher.migrations()]
    states = driver.execute_query(
        "SHOW INDEXES YIELD state RETURN collect(DISTINCT state) AS states"
    ).records[0]
    assert states["states"] == ["ONLINE"]
    assert migrate(driver) == []


def test_a_store_of_a_newer_version_is_refused_and_left_alone(driver):
    driver.execute_query("CREATE (:SchemaVersion {version: 9999, name: 'V9999__later.cypher'})")
    try:
        with pytest.raises(
            StoreUnavailable, match=r"newer dreamhook \(it has V9999__later.cypher\)"
        ):
            migrate(driver)
    finally:
        driver.execute_query("MATCH (v:SchemaVersion {version: 9999}) DELETE v")


def test_the_server_has_what_our_statements_rely_on(graph):
    graph.execute_query("CREATE (e:Event {event_id: 'x'}) SET e:$($name)", name="PreToolUse")
    assert graph.execute_query("MATCH (e:PreToolUse) RETURN count(e) AS n").records[0]["n"] == 1
    graph.execute_query(
        "CREATE (:Memory {scope: 'r', path: 'p', status: 'current', cues: ['duplicate batch items', 'retry']})"
    )
    found = graph.execute_query(
        "CALL db.index.fulltext.queryNodes('memory_text', 'cues:duplicates') YIELD node RETURN node.path AS path"
    ).records
    assert [row["path"] for row in found] == ["p"]


@pytest.mark.parametrize("accepting", [True, False], ids=["accepts and is silent", "never accepts"])
def test_a_host_that_never_answers_does_not_hold_a_caller(accepting):
    with socket.create_server(("127.0.0.1", 0), backlog=1 if accepting else 0) as silent:
        uri = f"bolt://127.0.0.1:{silent.getsockname()[1]}"
        outcome = []

        def ask():
            with open_driver(Endpoint("given", uri, "neo4j", "x"), timeout=0.5) as driver:
                try:
                    driver.execute_query("RETURN 1")
                except DriverError as error:
                    outcome.append(error)

        asking = threading.Thread(target=ask, daemon=True)
        asking.start()
        asking.join(timeout=30)  # the driver's own defaults take longer than this
        assert outcome
