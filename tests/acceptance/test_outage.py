"""The store is away in every way it can be, the worker is killed, and nothing is lost, doubled or held up."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dreamhook import paths
from dreamhook.store.connect import open_driver
from dreamhook.store.state import endpoint
from dreamhook.worker import control
from tests.listening import listening

pytestmark = pytest.mark.neo4j
PROGRAM = Path(sys.executable).with_name("dreamhook")


def hook(client, program, **payload):
    base = {"session_id": "s1", "cwd": "/nowhere/shop"}
    wrapper = f"{paths.ROOT}/wrappers/{client}.sh"
    done = subprocess.run(
        [wrapper, program],
        input=json.dumps(base | payload).encode(),
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def dreamhook(*words, check=True):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120)
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done


def numbers(graph, session="s1"):
    records, _, _ = graph.execute_query(
        "MATCH (s:Session {session_id: $id})-[:FIRST_EVENT]->(first) MATCH p = (first)-[:NEXT*0..]->(e) "
        "RETURN e.message AS message ORDER BY length(p)",
        id=session,
    )
    return [record["message"] for record in records]


def total(graph):
    return graph.execute_query("MATCH (e:Event) RETURN count(e) AS n").records[0]["n"]


@pytest.fixture
def worker_home(configured_home):
    """A configured home whose worker is gone when the test is over."""
    yield configured_home
    assert control.stop()


def point_to(home, uri, password_file=None):
    """Have config.toml name another store; returns what it said before."""
    config = home / "config.toml"
    before = config.read_text()
    lines = []
    for line in before.splitlines():
        if line.startswith("uri"):
            line = f'uri = "{uri}"'
        elif password_file and line.startswith("password_file"):
            line = f'password_file = "{password_file}"'
        lines.append(line)
    config.write_text("\n".join(lines) + "\n")
    return before


def closed_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.parametrize("trouble", ["refused", "black hole", "wrong password"])
def test_events_of_an_outage_are_in_the_store_when_it_is_back(
    trouble, graph, store, worker_home, tmp_path
):
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    wrong = tmp_path / "wrong"
    wrong.write_text("not-the-password")
    if trouble == "wrong password":
        before = point_to(worker_home, store.uri, wrong)
    else:
        port = closed_port() if trouble == "refused" else listener.getsockname()[1]
        before = point_to(worker_home, f"bolt://127.0.0.1:{port}")
    hook("codex", "log_event", hook_event_name="SessionStart", source="startup", message="x")
    for number in range(5):
        hook(
            "codex",
            "log_event",
            hook_event_name="UserPromptSubmit",
            prompt=str(number),
            turn_id=str(number),
        )
        assert (
            hook(
                "codex",
                "inject",
                hook_event_name="UserPromptSubmit",
                prompt="duplicate retries",
                turn_id="q",
            )
            == b""
        )
    assert (
        hook("cursor", "inject", hook_event_name="beforeSubmitPrompt", prompt="x")
        == b'{"continue":true}\n'
    )
    assert total(graph) == 0
    failed = dreamhook("drain", "--timeout", "1", check=False)
    assert failed.returncode == 1
    assert "kept in the spool" in failed.stderr
    assert len(failed.stderr.strip().splitlines()) == 1
    (worker_home / "config.toml").write_text(before)
    listener.close()
    dreamhook("drain", "--timeout", "60")
    dreamhook("drain", "--timeout", "60")
    assert total(graph) == 6


def test_a_store_of_ours_that_was_stopped_gets_everything_when_it_is_started_again(home):
    """The embedded server of this test's own home, stopped on purpose: nobody starts it but the person."""
    try:
        dreamhook("neo4j", "start")
        hook("codex", "log_event", hook_event_name="UserPromptSubmit", prompt="1", turn_id="1")
        dreamhook("drain")
        dreamhook("neo4j", "stop")
        for number in range(2, 5):
            hook(
                "codex",
                "log_event",
                hook_event_name="UserPromptSubmit",
                prompt=str(number),
                turn_id=str(number),
            )
            hook(
                "codex",
                "inject",
                hook_event_name="UserPromptSubmit",
                prompt="duplicate retries",
                turn_id="q",
            )
        failed = dreamhook("drain", "--timeout", "2", check=False)
        assert failed.returncode == 1
        assert "dreamhook neo4j start" in failed.stderr
        assert not json.loads(dreamhook("neo4j", "status", "--json").stdout)["running"]
        dreamhook("neo4j", "start")
        dreamhook("drain")
        with open_driver(endpoint()) as driver:
            assert total(driver) == 4
    finally:
        assert control.stop()
        dreamhook("neo4j", "stop", check=False)


def test_a_worker_finds_the_store_again_by_itself(graph, store, worker_home):
    before = point_to(worker_home, f"bolt://127.0.0.1:{closed_port()}")
    hook("codex", "log_event", hook_event_name="UserPromptSubmit", prompt="1", turn_id="1")
    assert control.start()
    assert control.stop()
    (worker_home / "config.toml").write_text(before)
    hook("codex", "log_event", hook_event_name="UserPromptSubmit", prompt="2", turn_id="2")
    wait_until(lambda: total(graph) == 2)


def test_a_worker_killed_at_any_moment_loses_and_doubles_nothing(graph, worker_home):
    stop, killed = threading.Event(), []

    def kill_again_and_again():
        while not stop.is_set():
            found = control.start(5)
            if found:
                os.kill(found["pid"], signal.SIGKILL)
                killed.append(found["pid"])
            (worker_home / "worker.starting").unlink(missing_ok=True)
            time.sleep(0.05)

    killer = threading.Thread(target=kill_again_and_again)
    killer.start()
    sent = 0
    while sent < 60 or (
        len(killed) < 3 and sent < 3000
    ):  # as long as it takes for three workers to die under it
        hook("claude_code", "log_event", hook_event_name="Notification", message=str(sent))
        sent += 1
    stop.set()
    killer.join()
    dreamhook("drain", "--timeout", "60")
    assert len(killed) > 2
    assert numbers(graph) == [str(number) for number in range(sent)]
    assert total(graph) == sent


def test_sixteen_hooks_at_once_on_one_session_make_one_list(graph, worker_home):
    with ThreadPoolExecutor(16) as pool:
        list(
            pool.map(
                lambda n: hook(
                    "claude_code", "log_event", hook_event_name="Notification", message=str(n)
                ),
                range(48),
            )
        )
    dreamhook("drain", "--timeout", "60")
    assert sorted(numbers(graph), key=int) == [str(number) for number in range(48)]
    assert total(graph) == 48
    assert json.loads(dreamhook("status", "--json").stdout)["spool"]["depth"] == 0


def test_one_payload_through_two_registrations_at_once_is_one_node(graph, worker_home):
    for turn in range(5):
        with ThreadPoolExecutor(2) as pool:
            sent = [
                pool.submit(hook, "codex", "log_event", hook_event_name="Stop", turn_id=str(turn))
                for _ in range(2)
            ]
            for one in sent:
                one.result()
    dreamhook("drain", "--timeout", "60")
    assert total(graph) == 5


def test_many_starts_at_once_make_one_worker(worker_home):
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: dreamhook("worker", "start").stdout, range(8)))
    assert len(set(found)) == 1


def test_a_stale_socket_and_a_stale_bell_do_not_keep_a_worker_away(worker_home):
    (worker_home / "worker.sock").touch()
    (worker_home / "worker.bell").touch()
    (worker_home / "worker.lock").write_text("1\n")
    assert control.start()


def test_the_worker_listens_on_no_port_and_its_socket_is_private(worker_home):
    assert listening(control.start()["pid"]) == set()
    assert (worker_home / "worker.sock").stat().st_mode & 0o777 == 0o600


def test_the_log_holds_no_text_of_a_prompt_and_no_environment(graph, worker_home, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "canary-key")
    hook(
        "claude_code",
        "log_event",
        hook_event_name="UserPromptSubmit",
        prompt="canary-prompt",
        prompt_id="1",
    )
    (worker_home / "spool/new/0-damaged").write_bytes(b"canary-damaged")
    hook("claude_code", "inject", hook_event_name="UserPromptSubmit", prompt="canary-prompt")
    dreamhook("drain")
    hook("claude_code", "inject", hook_event_name="UserPromptSubmit", prompt="canary-prompt")
    logs = "".join(file.read_text() for file in (worker_home / "log").iterdir())
    assert "canary" not in logs


def test_no_process_is_left_when_the_worker_has_gone(graph, worker_home):
    for number in range(20):
        hook("claude_code", "log_event", hook_event_name="Notification", message=str(number))
        hook(
            "claude_code",
            "inject",
            hook_event_name="UserPromptSubmit",
            prompt="hello there",
            prompt_id=str(number),
        )
    assert control.stop()
    mark = f"DREAMHOOK_HOME={worker_home}".encode()
    left = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (
                mark in (folder / "environ").read_bytes().split(b"\0")
                and int(folder.name) != os.getpid()
            ):
                left.append((folder / "cmdline").read_bytes())
        except OSError:
            continue
    assert left == []


def test_compaction_and_closure_replayed_double_and_erase_nothing(graph, worker_home):
    """Six cases, 5: checkpoints come again, while a turn still waits in the spool."""
    turn = [
        {"hook_event_name": "SessionStart", "source": "startup"},
        {"hook_event_name": "UserPromptSubmit", "prompt": "go", "prompt_id": "1"},
        {"hook_event_name": "PreCompact", "trigger": "auto", "prompt_id": "1"},
        {
            "hook_event_name": "PostCompact",
            "trigger": "auto",
            "compact_summary": "so far",
            "prompt_id": "1",
        },
        {"hook_event_name": "SessionEnd", "reason": "other", "prompt_id": "1"},
    ]
    assert control.stop()
    for payload in turn:
        hook("claude_code", "log_event", **payload)
    files = {file: file.read_bytes() for file in sorted((worker_home / "spool/new").iterdir())}
    dreamhook("drain")
    for _ in range(3):
        assert control.stop()
        for file, content in files.items():
            file.write_bytes(content)
        dreamhook("drain")
    records, _, _ = graph.execute_query(
        "MATCH (e:Event) RETURN e.event_name AS name ORDER BY e.seq"
    )
    assert [record["name"] for record in records] == [
        payload["hook_event_name"] for payload in turn
    ]


def wait_until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.1)
