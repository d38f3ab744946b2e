"""The linked list in a real store: one line, in order, whatever is sent twice or at once."""

import threading
from datetime import UTC, datetime

import pytest

from dreamhook.record.append import append, close_silent

pytestmark = pytest.mark.neo4j

SESSION = {
    "client": "claude_code", "session_id": "s1", "parent": None, "cwd": "/a", "branch": "main", "repository": "a-1",
    "repository_name": "a", "remote": None, "person": "me", "synthetic": None,
}  # fmt: skip


def row(number, name="PostToolUse", twins=(), session_id="s1", **more):
    event_id = f"event-{number}"
    properties = {
        "event_id": event_id,
        "event_name": name,
        "timestamp": f"2026-11-29T10:00:{number % 60:02d}+00:00",
    }
    properties |= {"number": number, "person": "me", "repository": "a-1"}
    properties |= {"client": "claude_code", "session_id": session_id} | more
    return {
        "event_name": name,
        "timestamp": properties["timestamp"],
        "same": [event_id, *twins],
        "properties": properties,
    }


def walk(graph, session_id="s1"):
    records, _, _ = graph.execute_query(
        "MATCH (s:Session {session_id: $id})-[:FIRST_EVENT]->(first) MATCH p = (first)-[:NEXT*0..]->(e) "
        "RETURN e.number AS number, e.seq AS seq ORDER BY length(p)",
        id=session_id,
    )
    return [(record["number"], record["seq"]) for record in records]


def shape(graph, session_id="s1"):
    records, _, _ = graph.execute_query(
        "MATCH (s:Session {session_id: $id}) RETURN s.event_count AS count, COUNT {(s)-[:FIRST_EVENT]->()} AS heads, "
        "COUNT {(s)-[:LATEST_EVENT]->()} AS ends, COUNT { MATCH (e:Event) WHERE COUNT {(e)-[:NEXT]->()} > 1 } AS forks",
        id=session_id,
    )
    return tuple(records[0].values())


def test_events_stand_in_the_order_they_were_appended(graph):
    append(graph, SESSION, [row(1, "SessionStart"), row(2, "UserPromptSubmit")])
    append(graph, SESSION, [row(3), row(4, "Stop")])
    assert [number for number, _ in walk(graph)] == [1, 2, 3, 4]
    assert shape(graph) == (4, 1, 1, 0)


def test_a_batch_that_is_sent_again_changes_nothing(graph):
    rows = [row(number) for number in range(5)]
    assert append(graph, SESSION, rows) == 5
    before = walk(graph)
    assert append(graph, SESSION, rows) == 0
    assert append(graph, SESSION, [*rows[3:], row(5)]) == 1
    assert walk(graph)[:5] == before
    assert shape(graph) == (6, 1, 1, 0)


def test_a_twin_of_a_stored_event_is_not_stored(graph):
    append(graph, SESSION, [row(1)])
    assert append(graph, SESSION, [row(2, twins=("event-1",))]) == 0


def test_an_event_has_its_name_as_second_label(graph):
    append(graph, SESSION, [row(1, "UserPromptSubmit")])
    records, _, _ = graph.execute_query("MATCH (e:Event) RETURN labels(e) AS labels")
    assert set(records[0]["labels"]) == {"Event", "UserPromptSubmit"}


def test_a_session_belongs_to_its_repository_and_person(graph):
    append(graph, SESSION, [row(1)])
    append(graph, SESSION | {"repository": "b-2"}, [row(2)])
    records, _, _ = graph.execute_query(
        "MATCH (p:Person)<-[:BY]-(s:Session)-[:IN_REPOSITORY]->(r:Repository) RETURN p.id, r.id, s.branch"
    )
    assert [record.values() for record in records] == [["me", "a-1", "main"]]


def test_a_subagents_session_hangs_on_its_parent(graph):
    append(graph, SESSION, [row(1)])
    append(graph, SESSION | {"session_id": "s1/agent", "parent": "s1"}, [row(2, "SubagentStart")])
    records, _, _ = graph.execute_query(
        "MATCH (a)-[:SUBAGENT_OF]->(b) RETURN a.session_id, b.session_id"
    )
    assert [record.values() for record in records] == [["s1/agent", "s1"]]
    assert [number for number, _ in walk(graph)] == [1]


def test_a_session_that_goes_on_after_its_end_is_open_again(graph):
    append(graph, SESSION, [row(1), row(2, "SessionEnd")])
    ended = "MATCH (s:Session) RETURN s.ended_at AS ended_at"
    assert graph.execute_query(ended).records[0]["ended_at"]
    append(graph, SESSION, [row(3, "SessionStart")])
    assert graph.execute_query(ended).records[0]["ended_at"] is None


def test_many_writers_on_one_session_make_one_list_and_every_batch_sent_twice_counts_once(graph):
    failures = []

    def write(writer):
        for number in range(5):
            rows = [row(1000 + writer * 100 + number * 10 + i) for i in range(3)]
            for _ in range(2):
                try:
                    append(graph, SESSION, rows)
                except Exception as error:  # collected, so that the assertion shows it
                    failures.append(error)

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert shape(graph) == (120, 1, 1, 0)
    order = [seq for _, seq in walk(graph)]
    assert order == sorted(order)
    assert len(set(order)) == 120


def test_seq_goes_on_over_sessions(graph):
    append(graph, SESSION, [row(1)])
    append(graph, SESSION | {"session_id": "s2"}, [row(2)])
    append(graph, SESSION, [row(3)])
    assert [seq for _, seq in walk(graph)] == [1, 3]
    assert [seq for _, seq in walk(graph, "s2")] == [2]


def ended(graph, session_id="s1"):
    records, _, _ = graph.execute_query(
        "MATCH (s:Session {session_id: $id}) RETURN s.ended_at AS at, s.end_reason AS why",
        id=session_id,
    )
    return tuple(records[0].values())


def test_a_session_that_never_says_it_ended_is_closed_at_its_last_event(graph):
    append(graph, SESSION, [row(1, "SessionStart"), row(2, "UserPromptSubmit")])
    assert ended(graph) == (None, None)
    assert close_silent(graph, silent_s=-1e9) == 1
    assert ended(graph) == (row(2)["timestamp"], "silence")
    assert close_silent(graph, silent_s=-1e9) == 0


def test_a_session_that_still_speaks_is_not_closed(graph):
    now = datetime.now(UTC).isoformat()
    append(graph, SESSION, [row(1, timestamp=now) | {"timestamp": now}])
    assert close_silent(graph) == 0
    assert ended(graph) == (None, None)


def test_a_session_closed_for_its_silence_is_opened_by_a_new_event(graph):
    append(graph, SESSION, [row(1)])
    close_silent(graph, silent_s=-1e9)
    append(graph, SESSION, [row(2)])
    assert ended(graph) == (None, None)
    assert close_silent(graph, silent_s=-1e9) == 1


def test_a_replay_does_not_open_a_session_that_was_closed(graph):
    append(graph, SESSION, [row(1)])
    close_silent(graph, silent_s=-1e9)
    append(graph, SESSION, [row(1)])
    assert ended(graph) == (row(1)["timestamp"], "silence")


def test_an_ended_session_tells_why_and_when(graph):
    append(graph, SESSION, [row(1), row(2, "SessionEnd", reason="logout")])
    assert ended(graph) == (row(2)["timestamp"], "logout")
    assert close_silent(graph, silent_s=-1e9) == 0


def test_a_subagents_session_ends_with_its_stop_and_its_parents_does_not(graph):
    append(graph, SESSION, [row(1), row(2, "SubagentStop")])
    sub = SESSION | {"session_id": "s1/a", "parent": "s1"}
    append(
        graph,
        sub,
        [row(3, "SubagentStart", session_id="s1/a"), row(4, "SubagentStop", session_id="s1/a")],
    )
    assert ended(graph) == (None, None)
    assert ended(graph, "s1/a")[0] == row(4)["timestamp"]


def test_parallel_tool_calls_pair_by_id_in_whatever_order_their_hooks_came(graph):
    order = [("Pre", 2), ("Post", 2), ("Pre", 3), ("Pre", 1), ("Post", 3), ("Post", 1)]
    rows = [
        row(n, f"{kind}ToolUse", tool_use_id=f"t{call}") for n, (kind, call) in enumerate(order)
    ]
    append(graph, SESSION, rows)
    records, _, _ = graph.execute_query(
        "MATCH (a:PreToolUse) MATCH (b:PostToolUse {client: a.client, session_id: a.session_id, "
        "tool_use_id: a.tool_use_id}) RETURN a.number AS asked, b.number AS done ORDER BY asked"
    )
    assert [tuple(record.values()) for record in records] == [(0, 1), (2, 4), (3, 5)]
    assert [number for number, _ in walk(graph)] == list(range(6))


def test_a_store_that_was_emptied_by_hand_goes_on_and_takes_nothing_for_known(graph):
    append(graph, SESSION, [row(1), row(2)])
    graph.execute_query("MATCH (c:Counter) DELETE c")
    assert append(graph, SESSION, [row(2), row(3)]) == 1
    assert walk(graph) == [(1, 1), (2, 2), (3, 3)]
    graph.execute_query("MATCH (n) WHERE NOT n:SchemaVersion DETACH DELETE n")
    assert append(graph, SESSION, [row(3), row(4)]) == 2
    assert walk(graph) == [(3, 1), (4, 2)]
