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
from dreamhook.hook import inject, pack

START = {"hook_event_name": "SessionStart", "source": "startup", "session_id": "s1", "cwd": "/nowhere"}


@pytest.fixture
def packed(home, tmp_path):
    """A folder with a pack, and no worker to come: hooks believe that one is just being started."""
    (home / "worker.starting").touch()
    pack.write("claude_code", str(tmp_path), b"PACK\n")
    return tmp_path


@pytest.fixture
def worker(home):
    """A socket that answers everything with FROM-WORKER once the event is set."""
    here = os.getcwd()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    os.chdir(home)
    listener.bind(inject.SOCKET)
    os.chdir(here)
    listener.listen(8)
    answering = threading.Event()

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
                    connection.sendall(b"12\nFROM-WORKER\n")
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
    done = subprocess.run(
        [f"{paths.ROOT}/wrappers/claude_code.sh", "inject"],
        input=json.dumps(START | (payload or {})).encode(),
        cwd=folder,
        env=os.environ | variables,
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def test_a_start_without_worker_is_told_from_the_pack_and_its_session_marked(packed):
    assert run(packed) == b"PACK\n"
    assert pack.was_served("s1")
    assert not pack.was_served("s2")


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
    ("event", "environment", "seconds"),
    [
        ("SessionStart", "", 0.15),
        ("sessionStart", "", 0.15),
        ("UserPromptSubmit", "", 0.25),
        ("UserPromptSubmit", "700", 0.7),
        ("SessionStart", "soon", 0.15),
    ],
)
def test_how_long_a_hook_waits(event, environment, seconds, monkeypatch):
    monkeypatch.setenv("DREAMHOOK_DEADLINE_MS", environment)
    assert inject.patience_s(json.dumps({"hook_event_name": event}).encode()) == seconds


def test_marks_of_served_packs_do_not_pile_up(packed):
    for number in range(600):
        pack.lookup(json.dumps(START | {"session_id": str(number)}).encode(), "claude_code", str(packed))
    assert pack.was_served("599")
    assert os.stat(f"{paths.packs_dir()}/served").st_size <= pack.SERVED_BYTES + 9
