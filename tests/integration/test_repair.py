"""A broken list is found whatever broke it, in time linear to the events, and is repaired without losing one."""

import json
import subprocess
import sys
from pathlib import Path
from unittest.mock import ANY

import pytest

from dreamhook import config
from dreamhook.record.append import append
from dreamhook.record.repair import broken, repair
from dreamhook.store import indexes
from tests.integration.test_append import SESSION, row, shape, walk

pytestmark = pytest.mark.neo4j

BREAKS = {
    "a link is missing": "MATCH (:Event {number: 2})-[r:NEXT]->() DELETE r",
    "a link is double": "MATCH (a:Event {number: 2})-[:NEXT]->(b) CREATE (a)-[:NEXT]->(b)",
    "a fork": "MATCH (a:Event {number: 1}), (b:Event {number: 4}) CREATE (a)-[:NEXT]->(b)",
    "a ring": "MATCH (a:Event {number: 3}), (b:Event {number: 1}) CREATE (a)-[:NEXT]->(b)",
    "a ring apart from the line": "MATCH ()-[r:NEXT]->(c:Event {number: 2}) "
    "MATCH (c)-[:NEXT]->(d:Event {number: 3})-[s]->(:Event {number: 4}) DELETE r, s WITH c, d "
    "MATCH (a:Event {number: 1}), (z:Event {number: 4}) "
    "CREATE (d)-[:NEXT]->(c), (a)-[:NEXT]->(z)",
    "an order that is not that of seq": "MATCH (a:Event {number: 2}), (b:Event {number: 3}) "
    "WITH a, b, a.seq AS first, b.seq AS second SET a.seq = second, b.seq = first",
    "no head": "MATCH ()-[r:FIRST_EVENT]->() DELETE r",
    "two heads": "MATCH (s:Session {session_id: 's1'}), (e:Event {number: 3}) CREATE (s)-[:FIRST_EVENT]->(e)",
    "no end": "MATCH (:Session {session_id: 's1'})-[r:LATEST_EVENT]->() DELETE r",
    "an end in the middle": "MATCH (s:Session {session_id: 's1'})-[r:LATEST_EVENT]->() DELETE r "
    "WITH s MATCH (e:Event {number: 2}) CREATE (s)-[:LATEST_EVENT]->(e)",
    "an event deleted by hand": "MATCH (e:Event {number: 3}) DETACH DELETE e",
    "the last event deleted by hand": "MATCH (e:Event {number: 5}) DETACH DELETE e",
    "a wrong count": "MATCH (s:Session {session_id: 's1'}) SET s.event_count = 50",
    "no session": "MATCH (s:Session {session_id: 's1'}) DETACH DELETE s",
    "a link into another session": "MATCH (a:Event {number: 5}), (b:Event {number: 101}) CREATE (a)-[:NEXT]->(b)",
    "a session without its events": "MATCH (e:Event) WHERE e.number < 100 DETACH DELETE e",
}


@pytest.fixture
def two_lists(graph):
    append(graph, SESSION, [row(number) for number in range(1, 6)])
    append(
        graph,
        SESSION | {"session_id": "s2"},
        [row(number, session_id="s2") for number in range(101, 104)],
    )
    return graph


def test_whole_lists_are_not_complained_of(two_lists):
    assert broken(two_lists) == []


@pytest.mark.parametrize("page", [2, 3, 100])
@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_list_is_found_and_repaired(name, page, two_lists, monkeypatch):
    monkeypatch.setattr("dreamhook.record.repair.PAGE", page)
    two_lists.execute_query(BREAKS[name])
    count = "MATCH (e:Event) WITH e ORDER BY e.seq RETURN collect([e.session_id, e.number]) AS all"
    before = two_lists.execute_query(count).records[0]["all"]
    found = broken(two_lists)
    assert "s1" in [one.session_id for one in found]
    for one in found:
        repair(two_lists, one)
    assert broken(two_lists) == []
    assert two_lists.execute_query(count).records[0]["all"] == before
    for session in ("s1", "s2"):
        expected = [number for of, number in before if of == session]
        assert [number for number, _ in walk(two_lists, session)] == expected
        assert shape(two_lists, session) == (len(expected), *((1, 1) if expected else (0, 0)), 0)


def test_a_repaired_list_takes_events_again(two_lists):
    two_lists.execute_query(BREAKS["an event deleted by hand"])
    [one] = broken(two_lists)
    repair(two_lists, one)
    append(two_lists, SESSION, [row(6)])
    assert [number for number, _ in walk(two_lists)] == [1, 2, 4, 5, 6]
    assert broken(two_lists) == []


def test_repairing_what_is_whole_changes_nothing(two_lists):
    two_lists.execute_query(BREAKS["no end"])
    [one] = [one for one in broken(two_lists) if one.session_id == "s1"]
    repair(two_lists, one)
    before = walk(two_lists)
    assert repair(two_lists, one) == (0, 0)
    assert walk(two_lists) == before


def test_doctor_finds_a_broken_list_and_repairs_it_when_told(two_lists, configured_home):
    two_lists.execute_query(BREAKS["a fork"])
    found, _ = doctor()
    assert not found["ok"]
    assert (found["what"], found["fix"]) == (
        "1 broken: claude_code s1",
        "dreamhook doctor --repair",
    )
    repaired, _ = doctor("--repair")
    assert repaired["ok"]
    assert repaired["what"] == "1 sessions repaired, 0 links made; no event was lost"
    assert doctor()[0]["what"] == "every session is one unbroken list"


@pytest.mark.parametrize("name", ["memory_text", "event_words"])
def test_doctor_finds_an_index_that_is_gone_and_makes_it_again_when_told(
    name, graph, configured_home
):
    assert indexes.missing(graph) == []
    graph.execute_query(f"DROP INDEX {name}")
    check_doctor_makes_it_again(graph, name)


def check_doctor_makes_it_again(graph, name):
    try:
        found, status = doctor(check="indexes")
        assert (found["ok"], status) == (False, 1)
        assert found["what"].startswith(f"not usable: {name};")
        assert doctor("--repair", check="indexes")[0]["what"] == f"made again: {name}"
    finally:
        indexes.restore(graph, [name])
    assert indexes.missing(graph) == []


OURS = indexes.expected()
OTHERS = {
    "on other properties": (
        "memory_text",
        "CREATE FULLTEXT INDEX memory_text FOR (m:Memory) ON EACH [m.title]",
    ),
    "on another label": ("memory_text", OURS["memory_text"].replace(":Memory)", ":Note)")),
    "with another analyzer": (
        "memory_text",
        OURS["memory_text"].replace("'english'", "'standard'"),
    ),
    "of another type": ("memory_text", "CREATE INDEX memory_text FOR (m:Memory) ON (m.title)"),
    "in another order": (
        "event_order",
        "CREATE INDEX event_order FOR (e:Event) ON (e.seq, e.repository, e.person)",
    ),
    "without its constraint": (
        "memory_key",
        "CREATE INDEX memory_key FOR (m:Memory) ON (m.scope, m.path)",
    ),
    "a constraint of another property": (
        "event_key",
        OURS["event_key"].replace("e.event_id", "e.number"),
    ),
    "under another name": (
        "memory_text",
        OURS["memory_text"].replace("INDEX memory_text", "INDEX mine"),
    ),
    "its constraint's properties under another name": (
        "session_key",
        "CREATE INDEX mine FOR (s:Session) ON (s.client, s.session_id)",
    ),
}


@pytest.mark.parametrize("how", OTHERS)
def test_doctor_finds_an_index_made_otherwise_and_makes_ours_when_told(how, graph, configured_home):
    name, made = OTHERS[how]
    kind = "CONSTRAINT" if name.endswith("_key") else "INDEX"
    graph.execute_query(f"DROP {kind} {name}")
    assert made != OURS[name]
    graph.execute_query(made)
    graph.execute_query("CALL db.awaitIndexes(60)")
    check_doctor_makes_it_again(graph, name)


def test_an_index_of_somebody_elses_stays(graph):
    graph.execute_query("CREATE INDEX theirs FOR (m:Memory) ON (m.mine)")
    graph.execute_query("DROP INDEX memory_text")
    indexes.restore(graph, ["memory_text"])
    assert indexes.missing(graph) == []
    graph.execute_query("DROP INDEX theirs")


def test_doctor_says_why_the_store_makes_no_index_again(graph, configured_home):
    graph.execute_query("DROP CONSTRAINT memory_key")
    graph.execute_query("UNWIND [1, 2] AS n CREATE (:Memory {scope: 'a', path: 'b'})")
    try:
        found, _ = doctor("--repair", check="indexes")
        assert not found["ok"]
        assert "not usable: memory_key; " in found["what"]
        assert "the store refused: " in found["what"]
    finally:
        graph.execute_query("MATCH (m:Memory) DETACH DELETE m")
        indexes.restore(graph, ["memory_key"])


def test_doctor_names_malformed_notes(graph, configured_home):
    assert doctor(check="notes")[0] == {
        "check": "notes",
        "ok": True,
        "what": "well-formed",
        "fix": ANY,
    }
    whole = {"owner": config.load().person, "status": "current", "scope": "repo:a", "scope_key": "s1", "version": 1,
             "title": "t", "description": "d", "cues": ["c"], "content": "x"}  # fmt: skip
    for number, odd in enumerate(
        ({}, {"title": 7}, {"cues": "c"}, {"content": None}, {"description": None})
    ):
        graph.execute_query(
            "CREATE (m:Memory) SET m = $p", p=whole | {"path": f"project/{number}.md"} | odd
        )
    found, status = doctor(check="notes")
    assert (found["ok"], status) == (False, 1)
    assert found["what"] == "malformed: project/1.md, project/2.md, project/3.md"
    assert "browse" not in found["fix"]
    graph.execute_query("CREATE (m:Memory) SET m = $p", p=whole)
    found, _ = doctor(check="notes")
    assert found["what"].endswith(", (no path)")
    assert "`dreamhook neo4j browse`" in found["fix"]


def doctor(*words, check="lists"):
    program = Path(sys.executable).with_name("dreamhook")
    done = subprocess.run([program, "doctor", "--json", *words], capture_output=True, text=True)
    findings = json.loads(done.stdout)
    return next(one for one in findings if one["check"] == check), done.returncode
