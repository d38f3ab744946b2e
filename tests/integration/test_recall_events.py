"""The raw record in a real store: events by their words and by what stands beside them, sessions by words and time."""

import json

import pytest
from click.testing import CliRunner

from cypher import migrations
from dreamhook.cli import cli
from dreamhook.recall.events import HITS, search_events
from dreamhook.recall.scopes import Scopes
from dreamhook.recall.sessions import RANK, fused, search_sessions
from dreamhook.record.append import append
from dreamhook.store.schema import migrate

pytestmark = pytest.mark.neo4j

SHOP, INFRA = "shop-0123456789ab", "infra-ba9876543210"
FIELD = {"UserPromptSubmit": "prompt", "Stop": "assistant_text", "PostToolUse": "tool_input"}


@pytest.fixture
def record(graph):
    """Appends a session of (event name, text) pairs; event ids are `<session id>:<place>`."""

    def run(
        session_id, *said, repository=SHOP, person="me", parent=None, synthetic=None, elsewhere=None
    ):
        session = {
            "client": "codex", "session_id": session_id, "parent": parent, "cwd": "/a", "branch": "main",
            "repository": repository, "repository_name": repository, "remote": None, "person": person,
            "synthetic": synthetic,
        }  # fmt: skip
        rows = []
        for place, (name, text) in enumerate(said):
            properties = {
                "event_id": f"{session_id}:{place}", "event_name": name, "client": "codex", "session_id": session_id,
                "timestamp": f"2026-11-29T10:{place:02d}:00+00:00", "person": person,
                "repository": elsewhere if elsewhere and place else repository,
            }  # fmt: skip
            if parent:
                properties["parent_session_id"] = parent
            if text:
                properties[FIELD[name]] = text
            rows.append(
                {
                    "event_name": name,
                    "timestamp": properties["timestamp"],
                    "same": [properties["event_id"]],
                    "properties": properties,
                }
            )
        append(graph, session, rows)
        settle(graph)

    return run


def settle(graph):
    graph.execute_query("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")


def asked(text):
    return "UserPromptSubmit", text


def answered(text):
    return "Stop", text


def events(graph, text, repositories=(SHOP,), person="me", **more):
    return [hit.event_id for hit in search_events(graph, text, person, repositories, **more)]


def sessions(graph, text, repositories=(SHOP,), person="me", **more):
    return [one.session_id for one in search_sessions(graph, text, person, repositories, **more)]


def test_an_answer_is_found_by_its_questions_words(graph, record):
    record(
        "s1",
        asked("why does flyway stop?"),
        answered("Two of them hold one lock."),
        asked("paint it blue"),
    )
    record("s2", asked("and the padding?"), answered("Eight pixels."))
    assert events(graph, "flyway stop") == ["s1:0", "s1:1", "s1:2"]


def test_what_stands_among_matches_comes_before_what_matches_alone(graph, record):
    record("s1", asked("the flyway lock of today"))
    record("s2", *[asked("the flyway lock of noon")] * 3)
    record("s3", asked("the flyway lock of yesterday"))
    assert events(graph, "flyway lock", limit=1) == ["s2:1"]


def test_an_event_without_text_is_never_shown(graph, record):
    record("s1", ("SessionStart", ""), asked("why does flyway stop?"), ("SessionEnd", ""))
    assert events(graph, "flyway") == ["s1:1"]


def test_a_paste_that_mentions_everything_does_not_hide_the_prompt(graph, record):
    paste = "flyway lock held " + " ".join(f"word{number}" for number in range(3_000))
    record("s1", answered(paste))
    record(
        "s2",
        asked(
            "who holds the flyway lock on the third of the four test machines in the cellar, and since when?"
        ),
    )
    assert events(graph, "flyway lock held") == ["s2:0", "s1:0"]


def test_a_small_repository_is_found_behind_the_hits_of_a_large_one(graph, record):
    graph.execute_query(
        "UNWIND range(1, $count) AS i CREATE (:Event {event_id: 'x' + i, person: 'me', repository: $repository, "
        "prompt: 'flyway lock', seq: i})",
        count=HITS + 100,
        repository=INFRA,
    )
    record(
        "s1",
        asked(
            "somewhere in this long prompt, about quite other matters, there is a word on flyway"
        ),
    )
    assert events(graph, "flyway lock") == ["s1:0"]
    assert sessions(graph, "flyway lock") == ["s1"]


@pytest.mark.parametrize(
    "repository", ["the-0123456789ab", "a b-0123456789ab", "no-hash", "the", "and-000000000000"]
)
def test_whatever_a_repository_is_called_its_events_are_found(graph, record, repository):
    record("s1", asked("why does flyway stop?"), repository=repository)
    assert events(graph, "flyway", [repository]) == ["s1:0"]
    assert events(graph, "flyway", ["other-aaaaaaaaaaaa", repository]) == ["s1:0"]
    assert events(graph, "flyway", None) == ["s1:0"]


def test_others_events_are_never_seen(graph, record):
    record("s1", asked("flyway"), repository=INFRA)
    record("s2", asked("flyway"), person="somebody")
    record("s3", asked("flyway"), repository="other-0123456789ab")  # the same hash, another id
    for find in (events, sessions):
        assert find(graph, "flyway") == []
        assert find(graph, "flyway", []) == []
    assert events(graph, "flyway", None) == ["s3:0", "s1:0"]


def test_what_stands_beside_a_match_in_another_repository_is_not_seen(graph, record):
    record("s1", asked("why does flyway stop?"), answered("a secret of infra"), elsewhere=INFRA)
    assert events(graph, "flyway") == ["s1:0"]
    assert events(graph, "flyway", [INFRA]) == []


@pytest.mark.parametrize(
    "text",
    ["flyway AND (", 'flyway: "[* TO', "flyway^2 ~ && || ! \\", "flyway " * 9_000, "飞 flyway"],
)
def test_any_text_is_a_valid_query(graph, record, text):
    record("s1", asked("why does flyway stop?"))
    assert events(graph, text) == ["s1:0"]
    assert sessions(graph, text) == ["s1"]


@pytest.mark.parametrize("text", ["", "yes, go on", "?!"])
def test_a_text_that_asks_nothing_finds_nothing(graph, record, text):
    record("s1", asked("yes, go on"))
    assert events(graph, text) == []
    assert sessions(graph, text) == []


def test_more_repositories_than_a_query_takes_are_still_searched(graph, record):
    record("s1", asked("why does flyway stop?"))
    many = [f"many-{number:012x}" for number in range(1_500)]
    assert events(graph, "flyway", [*many, SHOP]) == ["s1:0"]


def test_of_sessions_alike_the_latest_comes_first_and_one_without_a_match_not_at_all(graph, record):
    for name in ("s1", "s2", "s3"):
        record(name, asked("why does flyway stop?"))
    record("s4", asked("paint it blue"))
    assert sessions(graph, "flyway") == ["s3", "s2", "s1"]
    record("s1", *[asked("why does flyway stop?")] * 2)
    assert sessions(graph, "flyway", limit=1) == ["s1"]


def test_a_session_is_told_by_the_event_that_matched_best(graph, record):
    record(
        "s1", asked("paint it blue"), asked("why does flyway stop at the lock?"), answered("flyway")
    )
    (found,) = search_sessions(graph, "why does flyway stop at a lock", "me", [SHOP])
    assert (found.text, found.until[:16]) == (
        "why does flyway stop at the lock?",
        "2026-11-29T10:02",
    )
    assert (found.client, found.branch, found.repository) == ("codex", "main", SHOP)


def test_what_a_subagent_did_counts_for_its_session(graph, record):
    record("s1", asked("look after the database"))
    record("s1/a1", ("PostToolUse", '{"command": "flyway repair"}'), parent="s1")
    assert sessions(graph, "flyway") == ["s1"]


def test_a_synthetic_session_is_none(graph, record):
    record("s1", asked("why does flyway stop?"), synthetic=True)
    assert sessions(graph, "flyway") == []


def test_words_and_time_count_alike():
    row = dict.fromkeys("client started_at until branch repository text".split(), "")
    scores = {"latest": 1.0, "later": 9.0, "older": 2.0, "oldest": 0.5}
    found = fused([row | {"session_id": name, "score": score} for name, score in scores.items()])
    assert [one.session_id for one in found] == ["later", "latest", "older", "oldest"]
    assert found[0].score == pytest.approx(1 / (RANK + 2) + 1 / (RANK + 1))


def test_the_command_shows_earlier_sessions(graph, record, configured_home, monkeypatch):
    record("0123456789", asked("why does\nflyway stop?"))
    monkeypatch.setattr(
        "dreamhook.recall.scopes.permitted", lambda *_: Scopes((f"repo:{SHOP}",), "me")
    )

    def ask(*options):
        return (
            CliRunner()
            .invoke(cli, ["memory", "search", "flyway", *options], catch_exceptions=False)
            .output
        )

    assert "[2026-11-29T10:00 codex session 01234567, branch main] why does flyway stop?\n" in ask(
        "--sessions"
    )
    told = json.loads(ask("--sessions", "--json"))
    assert set(told) == {"memories", "sessions"}
    assert told["sessions"][0]["session_id"] == "0123456789"
    assert set(json.loads(ask("--sessions", "--events", "--json"))) == {
        "memories",
        "sessions",
        "events",
    }


def test_what_was_recorded_before_the_index_knew_repositories_is_found_after(graph, record):
    old = next(statements for version, _, statements in migrations() if version == 10)
    graph.execute_query("DROP INDEX event_words")
    for statement in old:
        graph.execute_query(statement)
    graph.execute_query("MATCH (v:SchemaVersion {version: 50}) DELETE v")
    record("s1", asked("why does flyway stop?"))
    assert migrate(graph) == ["V0050__event_repository.cypher"]
    assert events(graph, "flyway") == ["s1:0"]
    names = [row["name"] for row in graph.execute_query("SHOW FULLTEXT INDEXES YIELD name").records]
    assert "event_words" in names
    assert "event_text" not in names
