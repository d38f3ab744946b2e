"""From files in the spool to one node each in a real store."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from neo4j.exceptions import Neo4jError, ServiceUnavailable

from dreamhook import config
from dreamhook.record import batch
from dreamhook.record import drain as draining
from dreamhook.record.append import append
from dreamhook.record.drain import drain_round, turn
from dreamhook.record.repair import broken
from dreamhook.spool import quota, reader, writer

pytestmark = pytest.mark.neo4j


def put(client="claude_code", **payload):
    base = {"session_id": "s1", "cwd": "/nowhere/a", "transcript_path": "/t"}
    return writer.put(json.dumps(base | payload).encode(), client)


def drain(driver):
    with turn():
        return drain_round(driver, config.load())


def events(driver):
    records, _, _ = driver.execute_query("MATCH (e:Event) RETURN properties(e) AS e ORDER BY e.seq")
    return [record["e"] for record in records]


def test_a_turn_becomes_readable_nodes_and_the_files_are_gone(graph, home):
    put(hook_event_name="SessionStart", source="startup")
    put(hook_event_name="UserPromptSubmit", prompt="run the tests", prompt_id="p1")
    put(hook_event_name="PostToolUse", tool_name="Bash", tool_use_id="t1", tool_input={"command": "pytest"},
        tool_response={"stdout": "3 passed"})  # fmt: skip
    put(hook_event_name="Stop", last_assistant_message="All green.")
    done = drain(graph)
    assert (done.appended, done.bad) == (4, 0)
    start, prompt, tool, stop = events(graph)
    assert start["event_name"] == "SessionStart"
    assert prompt["prompt"] == "run the tests"
    assert "pytest" in tool["tool_input"]
    assert "3 passed" in tool["tool_response"]
    assert stop["assistant_text"] == "All green."
    assert reader.waiting() == []


def test_the_same_payload_through_two_registrations_is_one_node(graph, home):
    for _ in range(2):
        put(hook_event_name="UserPromptSubmit", prompt="yes", prompt_id="p1")
        put(hook_event_name="SessionEnd", reason="other")
    assert drain(graph).appended == 2


def test_a_twin_that_comes_in_a_later_round_is_still_the_same_node(graph, home):
    put(
        hook_event_name="PostToolUse",
        tool_name="Bash",
        tool_use_id="t1",
        tool_input={},
        tool_response="x",
    )
    drain(graph)
    put(
        hook_event_name="PostToolUse",
        tool_name="Bash",
        tool_use_id="t1",
        tool_input={},
        tool_response="x",
    )
    assert drain(graph).appended == 0
    assert len(events(graph)) == 1


def test_cursor_through_its_own_hooks_and_through_claudes_settings_is_one_session(graph, home):
    cursor = {
        "conversation_id": "c1",
        "generation_id": "g1",
        "cursor_version": "3.20",
        "workspace_roots": ["/nowhere/a"],
    }
    cursor |= {"hook_event_name": "beforeSubmitPrompt", "prompt": "hello"}
    for client in ("cursor", "claude_code"):
        writer.put(json.dumps(cursor).encode(), client)
    assert drain(graph).appended == 1
    assert events(graph)[0]["client"] == "cursor"


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"no header\n{}",
        b"dreamhook/1 claude_code 1 2\n{",
        b"dreamhook/1 claude_code 1 9\n[1, 2, 3]",
        b"dreamhook/1 nobody 1 2\n{}",
        b"dreamhook/1 claude_code 1 9\n" + b"[" * 20_000,
        b"\xff\xfe\x00",
    ],
)
def test_a_damaged_file_is_set_aside_and_holds_up_nobody(damaged, graph, home):
    put(hook_event_name="Stop")
    folder = home / "spool/new"
    (folder / "00000000000000000001-1").write_bytes(damaged)
    put(hook_event_name="Notification", message="done")
    done = drain(graph)
    assert (done.appended, done.bad) == (2, 1)
    assert [file.read_bytes() for file in reader.files("bad")] == [damaged]
    assert reader.waiting() == []


def test_an_unknown_event_is_kept_with_its_name(graph, home):
    put(hook_event_name="BrandNewEvent", surprise={"a": 1})
    assert drain(graph).appended == 1
    [event] = events(graph)
    assert (event["event_name"], event["client_event"]) == ("Other", "BrandNewEvent")
    assert "surprise" in event["details"]


def test_a_bom_and_crlf_are_no_damage(graph, home):
    writer.put(b'\xef\xbb\xbf{"session_id":"s1",\r\n"hook_event_name":"Stop"}\r\n', "claude_code")
    assert drain(graph).appended == 1


def test_capture_order_is_kept_within_each_session(graph, home):
    for number in range(30):
        put(session_id=f"s{number % 3}", hook_event_name="Notification", message=str(number))
    drain(graph)
    for session in range(3):
        numbers = [
            int(one["message"]) for one in events(graph) if one["session_id"] == f"s{session}"
        ]
        assert numbers == list(range(session, 30, 3))


def test_a_crash_after_the_commit_and_before_the_delete_doubles_nothing(graph, home, monkeypatch):
    put(hook_event_name="UserPromptSubmit", prompt="once", prompt_id="p1")
    put(hook_event_name="Notification", message="once")

    def crash(_files):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(reader, "remove", crash)
        with pytest.raises(KeyboardInterrupt):
            drain(graph)
    assert len(reader.waiting()) == 2
    assert drain(graph).appended == 0
    assert len(events(graph)) == 2


def test_a_token_is_scrubbed_before_the_store_even_if_the_spool_held_it(graph, home):
    token = "ghp" + "_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    put(hook_event_name="UserPromptSubmit", prompt=f"use {token}", prompt_id="p1")
    drain(graph)
    assert token not in json.dumps(events(graph))
    assert "[REDACTED:" in events(graph)[0]["prompt"]


REFUSED = {
    "an id that no index takes": {"session_id": "x7Qp" * 10_000},
    "an id of other scripts that no index takes": {
        "session_id": "".join(chr(300 + n % 9000) for n in range(20_000))
    },
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_event_that_the_store_refuses_is_set_aside_and_holds_up_nobody(name, graph, home):
    for number in range(3):
        put(hook_event_name="Notification", message=f"a{number}")
    put(hook_event_name="Notification", message="bad", **REFUSED[name])
    for number in range(3):
        put(hook_event_name="Notification", message=f"b{number}")
    done = drain(graph)
    assert (done.appended, done.bad) == (6, 1)
    assert [one["message"] for one in events(graph)] == ["a0", "a1", "a2", "b0", "b1", "b2"]
    assert (len(reader.waiting()), len(list(reader.files("bad")))) == (0, 1)


@pytest.mark.parametrize("value", [2**70, {"a": 1}, "\ud800", [1, "a"]])
def test_one_refused_event_in_a_batch_is_found_and_the_others_keep_their_order(
    value, graph, home, monkeypatch
):
    normalise = draining._normalise

    def poisoned(item, *rest):
        session, row = normalise(item, *rest)
        if row["properties"]["message"] == "5":
            row["properties"]["poison"] = value
        return session, row

    monkeypatch.setattr(draining, "_normalise", poisoned)
    for number in range(12):
        put(hook_event_name="Notification", message=str(number))
    done = drain(graph)
    assert (done.appended, done.bad) == (11, 1)
    assert [one["message"] for one in events(graph)] == [
        str(number) for number in range(12) if number != 5
    ]
    monkeypatch.setattr(draining, "_normalise", normalise)
    assert quota.take_back("bad") == 1
    assert drain(graph).appended == 1


@pytest.mark.parametrize(
    "code",
    [
        "Neo.ClientError.Statement.SyntaxError",
        "Neo.ClientError.Security.Forbidden",
        "Neo.ClientError.General.ForbiddenOnReadOnlyDatabase",
        "Neo.ClientError.Transaction.TransactionTimedOut",
        "Neo.TransientError.Transaction.DeadlockDetected",
        "Neo.DatabaseError.General.UnknownError",
    ],
)
def test_a_store_that_refuses_everybody_is_not_the_events_fault(code, graph, home, monkeypatch):
    def refuse(*_arguments):
        raise Neo4jError._hydrate_neo4j(code=code, message="no")

    monkeypatch.setattr(batch, "append", refuse)
    monkeypatch.setattr(batch, "takes_writes", lambda *_: False)
    for number in range(3):
        put(hook_event_name="Notification", message=str(number))
    with pytest.raises(Neo4jError):
        drain(graph)
    assert (len(reader.waiting()), list(reader.files("bad"))) == (3, [])
    monkeypatch.undo()


def test_a_failure_in_the_middle_of_a_round_does_not_let_later_events_overtake(
    graph, home, monkeypatch
):
    monkeypatch.setattr(draining, "BATCH_EVENTS", 5)
    sent = []

    def fails_once(store, session, rows):
        sent.append(len(rows))
        if len(sent) == 2:
            raise ServiceUnavailable
        return append(store, session, rows)

    monkeypatch.setattr(batch, "append", fails_once)
    for number in range(40):
        put(hook_event_name="Notification", message=str(number))
    with pytest.raises(ServiceUnavailable):
        drain(graph)
    assert len(sent) == 2
    assert drain(graph).appended == 35
    assert [one["message"] for one in events(graph)] == [str(number) for number in range(40)]


def test_what_cannot_be_read_is_set_aside(graph, home, monkeypatch):
    put(hook_event_name="Stop")
    broken = put(hook_event_name="Notification", message="x")
    read = reader.read

    def unreadable(file):
        if str(file) == broken:
            raise OSError(5, "Input/output error")
        return read(file)

    monkeypatch.setattr(reader, "read", unreadable)
    done = drain(graph)
    assert (done.appended, done.bad) == (1, 1)


def test_a_round_that_is_told_to_stop_leaves_the_rest_waiting(graph, home):
    for number in range(10):
        put(hook_event_name="Notification", message=str(number))
    asked = iter([True] * 4 + [False] * 9)
    with turn():
        assert drain_round(graph, config.load(), going_on=lambda: next(asked)).appended == 4
    assert len(reader.waiting()) == 6


def test_events_of_a_fallback_folder_stand_in_their_order(graph, home, monkeypatch):
    for number in range(6):
        with monkeypatch.context() as patch:
            if number % 2:
                patch.setattr(
                    writer, "folders", lambda: [f"/tmp/dh-fallback-{home.parent.name}/spool"]
                )
            put(hook_event_name="Notification", message=str(number))
    both = [*writer.folders(), f"/tmp/dh-fallback-{home.parent.name}/spool"]
    monkeypatch.setattr(writer, "folders", lambda: both)
    assert drain(graph).appended == 6
    assert [one["message"] for one in events(graph)] == [str(number) for number in range(6)]
    shutil.rmtree(f"/tmp/dh-fallback-{home.parent.name}")


def test_an_event_kept_without_its_body_is_a_node_that_says_so(graph, home):
    put(hook_event_name="SessionEnd", reason="other")
    quota.survey(max_bytes=1 << 30, max_files=1)
    put(hook_event_name="UserPromptSubmit", prompt="x" * 5000, prompt_id="p1")
    drain(graph)
    _, event = events(graph)
    assert (event["event_name"], event["session_id"], event["turn_id"]) == (
        "UserPromptSubmit",
        "s1",
        "p1",
    )
    assert "5002" in event["details"]


def test_machines_that_share_a_store_lose_and_double_nothing(
    graph, configured_home, tmp_path, monkeypatch
):
    homes = []
    for machine in range(4):
        home = tmp_path / str(machine)
        home.mkdir(mode=0o700)
        (home / "config.toml").write_bytes((configured_home / "config.toml").read_bytes())
        monkeypatch.setenv("DREAMHOOK_HOME", str(home))
        homes.append(home)
        for number in range(60):
            put(session_id="shared" if number % 2 else f"own{machine}", hook_event_name="Notification",
                message=f"{machine}-{number}")  # fmt: skip
    program = Path(sys.executable).with_name("dreamhook")
    drains = [
        subprocess.Popen(
            [program, "drain"],
            env=os.environ | {"DREAMHOOK_HOME": str(home)},
            stdout=subprocess.DEVNULL,
        )
        for home in homes
    ]
    assert [one.wait(120) for one in drains] == [0, 0, 0, 0]
    assert broken(graph) == []
    for machine in range(4):
        seen = [one["message"] for one in events(graph) if one["message"].startswith(f"{machine}-")]
        assert sorted(seen, key=lambda text: int(text[2:])) == [
            f"{machine}-{number}" for number in range(60)
        ]
        for session in ("shared", f"own{machine}"):
            mine = [int(one["message"][2:]) for one in events(graph)
                    if one["session_id"] == session and one["message"].startswith(f"{machine}-")]  # fmt: skip
            assert mine == sorted(mine)
