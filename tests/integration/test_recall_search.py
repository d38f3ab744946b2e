"""`dreamhook memory search`: the hook's own search, with its reasons."""

import json

import pytest
from click.testing import CliRunner

from bench import recall_set
from dreamhook.cli import cli
from dreamhook.recall import search
from dreamhook.recall.scopes import Scopes
from dreamhook.store import indexes
from dreamhook.store.endpoint import StoreUnavailable

pytestmark = pytest.mark.neo4j


@pytest.fixture
def ask(graph, configured_home, monkeypatch):
    """Runs the command as Dana in a repository of the set; returns its output."""
    with (configured_home / "config.toml").open("a", encoding="utf-8") as config:
        config.write('[identity]\nperson = "dana"\n')
    recall_set.write(graph, list(recall_set.versions()))

    def run(*arguments, where="shop-api"):
        here = recall_set.scopes_in(where)
        monkeypatch.setattr("dreamhook.recall.scopes.permitted", lambda *_: here)
        done = CliRunner().invoke(cli, ["memory", "search", *arguments], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    return run


TWICE = "import_orders charged a customer twice after the timeout"


def test_it_shows_what_a_prompt_would_be_given(ask, graph):
    assert (
        ask(TWICE).splitlines()[0]
        == "project/batch-retries.md — Batch retries duplicate committed items"
    )
    assert ask("increase the padding") == "nothing fits; --explain shows what came near\n"


def test_it_finds_what_the_hook_finds(ask, graph):
    scopes = recall_set.scopes_in("shop-api")
    found = search.search(graph, TWICE, scopes, rarity=search.count_terms(graph, scopes))
    rows = json.loads(ask(TWICE, "--explain", "--json"))
    assert [row["path"] for row in rows] == [one.memory.path for one in found]
    assert rows[0]["fits"] is True


def test_explaining_says_why_each_came_or_did_not(ask):
    lines = ask("make the footer of orders sticky", "--explain").splitlines()
    assert lines[0].startswith("(not given) ")
    assert "1 is enough" in lines[1]
    assert "matched: " in lines[1]


def test_scopes_are_this_repositorys_alone_or_all_of_ones_own(ask):
    assert "profile" not in ask("--repo", "fix a bug with a failing test", "--explain")
    assert "project/terraform-state.md" in ask(
        "--all", "terraform apply with a newer state snapshot"
    )
    assert "terraform" not in ask("terraform apply with a newer state snapshot")
    assert "merge" not in ask(
        "--all", "merge commits with --no-ff instead of rebase", "--explain"
    ).replace("emerge", "")


def test_without_its_index_a_person_reads_one_line_with_the_way_out(ask, graph):
    graph.execute_query("DROP INDEX memory_text")
    try:
        with pytest.raises(
            StoreUnavailable, match=r"memory_text.*dreamhook doctor"
        ):  # printed as one line
            ask(TWICE)
    finally:
        indexes.restore(graph, ["memory_text"])


def test_the_raw_record_can_be_searched_too(ask, graph):
    graph.execute_query(
        "CREATE (:Event {event_id: 'e1', person: 'dana', repository: 'shop-api', prompt: 'why does flyway stop?', "
        "client: 'codex', session_id: '0123456789', event_name: 'UserPromptSubmit', timestamp: '2026-11-29T10:00'})"
    )
    graph.execute_query("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    assert "[2026-11-29T10:00 codex 01234567 UserPromptSubmit] why does flyway stop?" in ask(
        "flyway", "--events"
    )
    assert json.loads(ask("flyway", "--events", "--json"))["events"][0]["event_id"] == "e1"


def test_no_scope_at_all_finds_nothing(ask, graph):
    assert search.search(graph, TWICE, Scopes(("nowhere:",), "dana")) == []
