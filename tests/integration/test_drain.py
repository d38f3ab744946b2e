"""From files in the spool to one node each in a real store."""

import json

import pytest

from dreamhook import config
from dreamhook.hook import spool
from dreamhook.record import spooled
from dreamhook.record.drain import drain_round, turn

pytestmark = pytest.mark.neo4j


def put(client="claude_code", **payload):
    base = {"session_id": "s1", "cwd": "/nowhere/a", "transcript_path": "/t"}
    return spool.put(json.dumps(base | payload).encode(), client)


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
    assert spooled.waiting() == []


def test_the_same_payload_through_two_registrations_is_one_node(graph, home):
    for _ in range(2):
        put(hook_event_name="UserPromptSubmit", prompt="yes", prompt_id="p1")
        put(hook_event_name="SessionEnd", reason="other")
    assert drain(graph).appended == 2


def test_a_twin_that_comes_in_a_later_round_is_still_the_same_node(graph, home):
    put(hook_event_name="PostToolUse", tool_name="Bash", tool_use_id="t1", tool_input={}, tool_response="x")
    drain(graph)
    put(hook_event_name="PostToolUse", tool_name="Bash", tool_use_id="t1", tool_input={}, tool_response="x")
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
        spool.put(json.dumps(cursor).encode(), client)
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
    assert [file.read_bytes() for file in spooled.bad()] == [damaged]
    assert spooled.waiting() == []


def test_an_unknown_event_is_kept_with_its_name(graph, home):
    put(hook_event_name="BrandNewEvent", surprise={"a": 1})
    assert drain(graph).appended == 1
    [event] = events(graph)
    assert (event["event_name"], event["client_event"]) == ("Other", "BrandNewEvent")
    assert "surprise" in event["details"]


def test_a_bom_and_crlf_are_no_damage(graph, home):
    spool.put(b'\xef\xbb\xbf{"session_id":"s1",\r\n"hook_event_name":"Stop"}\r\n', "claude_code")
    assert drain(graph).appended == 1


def test_capture_order_is_kept_within_each_session(graph, home):
    for number in range(30):
        put(session_id=f"s{number % 3}", hook_event_name="Notification", message=str(number))
    drain(graph)
    for session in range(3):
        numbers = [int(one["message"]) for one in events(graph) if one["session_id"] == f"s{session}"]
        assert numbers == list(range(session, 30, 3))


def test_a_crash_after_the_commit_and_before_the_delete_doubles_nothing(graph, home, monkeypatch):
    put(hook_event_name="UserPromptSubmit", prompt="once", prompt_id="p1")
    put(hook_event_name="Notification", message="once")

    def crash(_files):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(spooled, "remove", crash)
        with pytest.raises(KeyboardInterrupt):
            drain(graph)
    assert len(spooled.waiting()) == 2
    assert drain(graph).appended == 0
    assert len(events(graph)) == 2


def test_a_token_is_scrubbed_before_the_store_even_if_the_spool_held_it(graph, home):
    token = "ghp" + "_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    put(hook_event_name="UserPromptSubmit", prompt=f"use {token}", prompt_id="p1")
    drain(graph)
    assert token not in json.dumps(events(graph))
    assert "[REDACTED:" in events(graph)[0]["prompt"]
