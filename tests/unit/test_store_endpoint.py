"""Where the store is: the environment, then config.toml, then what we manage."""

import pytest

from dreamhook.store import server, state
from dreamhook.store.endpoint import StoreUnavailable
from dreamhook.store.state import endpoint


def configure(home, text):
    (home / "config.toml").write_text(text, encoding="utf-8")


def secret(home, text="from-file\n"):
    (home / "secret").write_text(text, encoding="utf-8")
    return home / "secret"


def test_a_store_that_was_never_started_says_what_to_do():
    with pytest.raises(StoreUnavailable, match="run `dreamhook neo4j start`"):
        endpoint()


def test_the_managed_store_is_read_from_its_state(home):
    state.write(state.State("embedded", "5.26.30", 4001, 4002, pid=1))
    state.write_private(state.home() / "password", "generated\n")
    found = endpoint()
    assert (found.uri, found.user, found.password) == (
        "bolt://127.0.0.1:4001",
        "neo4j",
        "generated",
    )
    assert found.http_url == "http://127.0.0.1:4002/browser/"
    assert found.password_file == str(home / "neo4j" / "password")


def test_config_toml_comes_before_the_managed_store(home):
    state.write(state.State("embedded", "5.26.30", 4001, 4002))
    configure(
        home, f'[neo4j]\nuri = "neo4j+s://team"\nuser = "me"\npassword_file = "{secret(home)}"\n'
    )
    found = endpoint()
    assert (found.kind, found.uri, found.user, found.password) == (
        "given",
        "neo4j+s://team",
        "me",
        "from-file",
    )


def test_the_environment_comes_before_config_toml(home, monkeypatch):
    configure(
        home, f'[neo4j]\nuri = "neo4j+s://team"\nuser = "me"\npassword_file = "{secret(home)}"\n'
    )
    for name, value in (
        ("URI", "bolt://other"),
        ("USERNAME", "you"),
        ("PASSWORD", "p"),
        ("DATABASE", "notes"),
    ):
        monkeypatch.setenv("NEO4J_" + name, value)
    found = endpoint()
    assert (found.uri, found.user, found.password, found.database) == (
        "bolt://other",
        "you",
        "p",
        "notes",
    )
    assert found.password_file is None


def test_a_given_store_without_a_password_says_where_it_belongs(monkeypatch):
    monkeypatch.setenv("NEO4J_URI", "bolt://other")
    with pytest.raises(StoreUnavailable, match="set NEO4J_PASSWORD or"):
        endpoint()


@pytest.mark.parametrize("content", [None, "", "\n"])
def test_a_password_file_that_holds_none_is_named(home, content):
    file = home / "absent" if content is None else secret(home, content)
    configure(home, f'[neo4j]\nuri = "bolt://x"\npassword_file = "{file}"\n')
    with pytest.raises(StoreUnavailable, match=str(file)):
        endpoint()


def test_the_password_is_never_shown(monkeypatch):
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:1")
    monkeypatch.setenv("NEO4J_PASSWORD", "very-secret")
    assert "very-secret" not in repr(endpoint())
    assert "very-secret" not in repr(server.status())


def test_a_damaged_state_file_counts_as_none():
    state.write_private(state.home() / "state.json", '{"kind": "embed')
    with pytest.raises(StoreUnavailable, match="never started"):
        endpoint()


def test_everything_on_disk_is_for_this_user_alone(home):
    state.write(state.State("embedded", "5.26.30", 4001, 4002))
    with state.lock():
        state.mark_stopped(True)
    assert state.home().stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in state.home().iterdir()} == {0o600}


def test_a_store_stopped_on_purpose_stays_stopped(home):
    state.mark_stopped(True)
    with pytest.raises(StoreUnavailable, match="run `dreamhook neo4j start`"):
        server.ensure_running()
    assert server.status()["stopped_on_purpose"] is True


def test_a_given_store_that_refuses_connections_is_named(monkeypatch):
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:1")
    monkeypatch.setenv("NEO4J_PASSWORD", "x")
    with pytest.raises(StoreUnavailable, match=r"bolt://127\.0\.0\.1:1 does not answer"):
        server.start()
    assert server.status()["running"] is False


def test_an_address_that_is_none_is_named(monkeypatch):
    monkeypatch.setenv("NEO4J_URI", "ftp://127.0.0.1:1")
    monkeypatch.setenv("NEO4J_PASSWORD", "x")
    with pytest.raises(StoreUnavailable, match=r"ftp://127\.0\.0\.1:1 is not a Neo4j address"):
        server.start()
