"""The recalling hook as a harness runs it: its switches, its patience, and what it does without a worker."""

import json
import os
import socket
import subprocess
import threading

import pytest
from click.testing import CliRunner

from dreamhook import paths
from dreamhook.cli import cli
from dreamhook.hook import cached_start, inject, settled
from dreamhook.hook.payload import is_start
from tests.wrappers import options_of

TOOL = {
    "conversation_id": "c1", "hook_event_name": "postToolUse", "cursor_version": "3.20.17", "tool_name": "Shell",
    "tool_output": json.dumps({"exitCode": 0, "stdout": "12 passed"}),
}  # fmt: skip
FAILED = TOOL | {"tool_output": json.dumps({"exitCode": 1, "stdout": "1 failed"})}
TOLD = b'{"additional_context":"PACK"}\n'
START = {
    "hook_event_name": "SessionStart",
    "source": "startup",
    "session_id": "s1",
    "cwd": "/nowhere",
}


@pytest.fixture
def packed(home, tmp_path):
    """A folder with a pack, and no worker to come: hooks believe that one is just being started."""
    (home / "worker.starting").touch()
    cached_start.write(str(tmp_path), {"claude_code": b"PACK\n"})
    cached_start.write(str(tmp_path), {"cursor": TOLD})
    return tmp_path


@pytest.fixture
def worker(home):
    """A socket that answers everything with its `reply` once the event is set."""
    here = os.getcwd()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    os.chdir(home)
    listener.bind(paths.WORKER_SOCKET)
    os.chdir(here)
    listener.listen(8)
    answering = threading.Event()
    answering.reply = b"FROM-WORKER\n"

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.recv(1 << 16)
                answering.wait(20)
                try:
                    connection.sendall(b"%d\n%s" % (len(answering.reply), answering.reply))
                except OSError:
                    continue

    thread = threading.Thread(target=serve)
    thread.start()
    yield answering
    answering.set()
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()


def run(folder, payload=None, **variables):
    return run_wrapper("claude_code", folder, START | (payload or {}), **variables)


def run_wrapper(client, folder, payload, **variables):
    done = subprocess.run(
        [f"{paths.ROOT}/wrappers/{client}.sh", "inject"],
        input=json.dumps(payload).encode(),
        cwd=folder,
        env=os.environ | variables,
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def test_a_start_without_worker_is_told_from_the_pack_and_its_session_marked(packed):
    assert run(packed) == b"PACK\n"
    assert cached_start.was_served("s1")
    assert not cached_start.was_served("s2")


@pytest.mark.parametrize("source", ["resume", "fork"])
def test_a_conversation_that_goes_on_gets_no_pack(packed, source):
    assert run(packed, {"source": source}) == b""


def test_a_fresh_session_is_told_nothing(packed):
    assert run(packed, DREAMHOOK_FRESH="1") == b""
    assert CliRunner().invoke(cli, ["fresh"]).exit_code == 0
    assert run(packed) == b""
    assert CliRunner().invoke(cli, ["fresh", "--off"]).exit_code == 0
    assert run(packed) == b"PACK\n"


def test_an_answer_that_comes_in_time_is_printed(packed, worker):
    worker.set()
    assert run(packed, DREAMHOOK_DEADLINE_MS="20000") == b"FROM-WORKER\n"


def test_an_answer_that_comes_too_late_is_replaced_by_the_pack(packed, worker):
    assert run(packed) == b"PACK\n"


@pytest.mark.parametrize(
    ("client", "event", "environment", "seconds"),
    [
        ("claude_code", "SessionStart", "", 0.15),
        ("cursor", "sessionStart", "", 0.15),
        ("claude_code", "UserPromptSubmit", "", 0.25),
        ("claude_code", "UserPromptSubmit", "700", 0.7),
        ("claude_code", "SessionStart", "soon", 0.15),
    ],
)
def test_how_long_a_hook_waits(client, event, environment, seconds, monkeypatch):
    monkeypatch.setenv("DREAMHOOK_DEADLINE_MS", environment)
    start = is_start(json.dumps({"hook_event_name": event}).encode(), options_of(client))
    assert inject.patience_s(start) == seconds


def test_marks_of_served_packs_do_not_pile_up(packed):
    for number in range(600):
        cached_start.lookup(
            json.dumps(START | {"session_id": str(number)}).encode(),
            options_of("claude_code"),
            str(packed),
        )
    assert cached_start.was_served("599")
    assert os.stat(f"{paths.packs_dir()}/served").st_size <= cached_start.SERVED_BYTES + 20


# --- Cursor's last resort: after a tool


def after_tool(folder, payload=TOOL, **variables):
    return run_wrapper("cursor", folder, payload, DREAMHOOK_DEADLINE_MS="20000", **variables)


def test_after_a_tool_the_worker_is_asked_until_it_has_answered(packed, worker):
    worker.set()
    worker.reply = b""  # its store is away: not now
    assert after_tool(packed) == b"{}\n"
    worker.reply = TOLD
    assert after_tool(packed) == TOLD
    assert after_tool(packed) == b"{}\n"  # without asking: it would be told again
    assert after_tool(packed, TOOL | {"conversation_id": "c2"}) == TOLD


def test_that_there_is_nothing_to_tell_after_a_tool_is_an_answer_too(packed, worker):
    worker.set()
    worker.reply = b"{}\n"
    assert after_tool(packed) == b"{}\n"
    worker.reply = TOLD
    assert after_tool(packed) == b"{}\n"


@pytest.mark.parametrize("event", ["sessionStart", "beforeSubmitPrompt"])
def test_what_was_told_before_settles_what_comes_after_a_tool(event, packed, worker):
    worker.set()
    worker.reply = b'{"continue":true}\n'
    assert after_tool(packed, TOOL | {"hook_event_name": event}) == worker.reply
    worker.reply = TOLD
    assert after_tool(packed, TOOL | {"hook_event_name": event}) == TOLD
    assert after_tool(packed) == b"{}\n"


@pytest.mark.parametrize("event", [FAILED, TOOL | {"hook_event_name": "postToolUseFailure"}])
def test_a_failure_is_asked_about_in_a_settled_conversation_too(event, packed, worker):
    worker.set()
    worker.reply = TOLD
    assert [after_tool(packed), after_tool(packed, event), after_tool(packed, event)] == [TOLD] * 3


def test_without_a_worker_the_first_tool_is_told_from_the_pack_and_no_other(packed):
    assert [after_tool(packed), after_tool(packed)] == [TOLD, b"{}\n"]
    start = TOOL | {"conversation_id": "c2", "hook_event_name": "sessionStart"}
    assert after_tool(packed, start) == TOLD
    assert after_tool(packed, TOOL | {"conversation_id": "c2"}) == b"{}\n"


def test_of_tools_that_end_at_once_one_is_told_from_the_pack(packed, monkeypatch):
    monkeypatch.setattr(
        cached_start, "was_served", lambda _: False
    )  # each looks before another has told
    answers = []
    for process in (1, 2, 3):
        monkeypatch.setattr(os, "getpid", lambda process=process: process)
        answers.append(
            cached_start.lookup(json.dumps(TOOL).encode(), options_of("cursor"), str(packed))
        )
    assert answers == [TOLD, b"", b""]


def test_cursor_is_told_nothing_from_a_pack_in_the_shape_of_claude_code(packed):
    assert run_wrapper("claude_code", packed, TOOL | {"hook_event_name": "sessionStart"}) == b""


def test_the_list_of_settled_conversations_does_not_grow_without_end(packed):
    options = options_of("cursor")
    for number in range(2000):
        settled.note(json.dumps(TOOL | {"conversation_id": f"00000000-{number}"}).encode(), options)
    last = json.dumps(TOOL | {"conversation_id": "00000000-1999"}).encode()
    assert settled.is_needless(last, options)
    assert os.stat(paths.state_file(paths.PACKS_SETTLED)).st_size <= settled.BYTES + 100


def test_a_pack_is_given_though_nobody_can_mark_it_as_served(packed, home):
    (home / "packs/served").mkdir()
    options = options_of("claude_code")
    assert cached_start.lookup(json.dumps(START).encode(), options, str(packed)) == b"PACK\n"
