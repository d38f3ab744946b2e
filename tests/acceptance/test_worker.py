"""The resident process through its whole life: replaced when its code changes, freed when the store hangs, small."""

import contextlib
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from dreamhook import paths
from dreamhook.record.append import append
from dreamhook.worker import code, control, loop
from tests.acceptance.test_outage import (
    closed_port,
    dreamhook,
    hook,
    numbers,
    point_to,
    total,
    wait_until,
)
from tests.integration.test_append import SESSION, row
from tests.proxy import Proxy

pytestmark = pytest.mark.neo4j


@pytest.fixture
def worker_home(configured_home):
    """A configured home whose worker is gone when the test is over."""
    yield configured_home
    assert control.stop()


@pytest.fixture
def proxy(store, worker_home):
    """Between the worker and the store; the home's configuration names it."""
    opened = Proxy(store.uri)
    point_to(worker_home, opened.uri)
    yield opened
    opened.silent = False
    opened.close()


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the program with an interpreter of its own, to be upgraded under a running worker."""
    root = tmp_path_factory.mktemp("checkout")
    for part in ("dreamhook", "cypher", "dream", "hooks", "wrappers"):
        shutil.copytree(
            f"{paths.ROOT}/{part}", root / part, ignore=shutil.ignore_patterns("__pycache__")
        )
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", root / ".venv"], check=True)
    [packages] = (root / ".venv/lib").glob("python*/site-packages")
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "checkout.pth").write_text("\n".join([str(root), *libraries]) + "\n")
    return root


def note(checkout, number):
    payload = {
        "session_id": "s1",
        "cwd": "/nowhere/shop",
        "hook_event_name": "Notification",
        "message": str(number),
    }
    wrapper = checkout / "wrappers/claude_code.sh"
    done = subprocess.run(
        [wrapper, "log_event"], input=json.dumps(payload).encode(), capture_output=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, b"")


def starts(home):
    return (home / "log/dreamhook.log").read_text().count(" started, pid ")


def test_an_upgrade_that_stops_the_worker_brings_the_new_one_once_and_loses_nothing(
    checkout, graph, worker_home
):
    note(checkout, 0)
    wait_until(lambda: total(graph) == 1)
    version = checkout / "dreamhook/__init__.py"
    before = version.read_text()
    version.write_text(before + '\n__version__ = "99.0"\n')
    assert control.stop()  # as install.sh does
    number, deadline = 1, time.monotonic() + 60
    while (control.status() or {}).get("version") != "99.0":
        note(checkout, number)
        number += 1
        assert time.monotonic() < deadline
    time.sleep(code.EVERY_S + code.SETTLED_S)
    assert starts(worker_home) == 2
    note(checkout, number)
    wait_until(lambda: total(graph) == number + 1)
    assert numbers(graph) == [str(one) for one in range(number + 1)]
    version.write_text(before)


def test_a_changed_config_counts_without_a_restart_by_hand(checkout, graph, worker_home):
    note(checkout, 0)
    wait_until(lambda: total(graph) == 1)
    config_file = worker_home / "config.toml"
    config_file.write_text(config_file.read_text() + "\n[worker]\nidle_minutes = 3\n")
    wait_until(lambda: starts(worker_home) == 2)
    note(checkout, 1)
    wait_until(lambda: total(graph) == 2)


def test_half_an_upgrade_stops_no_hook_and_wedges_nothing(checkout, graph, worker_home):
    note(checkout, 0)
    wait_until(lambda: total(graph) == 1)
    module = checkout / "dreamhook/worker/loop.py"
    whole = module.read_text()
    module.write_text(whole[: len(whole) // 2] + "\n(")
    assert control.stop()
    wait_until(lambda: control.status() is None)
    for number in range(1, 6):
        note(checkout, number)
    assert len(list((worker_home / "spool/new").iterdir())) == 5
    wait_until(lambda: "worker - SyntaxError" in (worker_home / "log/dreamhook.log").read_text())
    time.sleep(1)
    assert (worker_home / "log/dreamhook.log").read_text().count("SyntaxError") <= 3, (
        "no storm of starts"
    )
    module.write_text(whole)
    os.utime(worker_home / "worker.starting", (0, 0))
    note(checkout, 6)
    wait_until(lambda: total(graph) == 7)
    assert numbers(graph) == [str(one) for one in range(7)]


def test_a_folder_that_was_removed_under_a_command_keeps_it_from_nothing(
    home, tmp_path, monkeypatch
):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    try:
        assert control.status() is None
        assert control.stop()
    finally:
        os.chdir(tmp_path)


def test_a_worker_whose_program_is_gone_leaves(checkout, graph, worker_home, tmp_path):
    gone = tmp_path / "gone"
    shutil.copytree(checkout, gone, symlinks=True)
    [packages] = (gone / ".venv/lib").glob("python*/site-packages")
    (packages / "checkout.pth").write_text(
        (packages / "checkout.pth").read_text().replace(str(checkout), str(gone))
    )
    note(gone, 0)
    wait_until(lambda: control.status() is not None)
    pid = control.status()["pid"]
    shutil.rmtree(gone / "dreamhook")
    wait_until(lambda: not Path(f"/proc/{pid}").exists())
    assert starts(worker_home) == 1


def test_a_store_that_falls_silent_on_an_open_connection_does_not_hold_the_worker(
    graph, worker_home, proxy
):
    impatient = "from dreamhook.worker import loop, __main__; loop.WEDGED_S = 1; __main__.main()"
    process = subprocess.Popen([sys.executable, "-c", impatient], stdin=subprocess.DEVNULL)
    wait_until(lambda: (control.status() or {}).get("store") == "connected")
    hook("codex", "log_event", hook_event_name="UserPromptSubmit", prompt="1", turn_id="1")
    wait_until(lambda: total(graph) == 1)
    proxy.silent = True
    hook("codex", "log_event", hook_event_name="UserPromptSubmit", prompt="2", turn_id="2")
    wait_until(lambda: starts(worker_home) == 2)
    proxy.silent = False
    wait_until(lambda: total(graph) == 2)
    assert control.status()["pid"] == process.pid, "the same process, with a new life"
    assert control.stop()
    process.wait(30)


def test_drain_keeps_its_timeout_whatever_the_store_does(graph, worker_home, proxy):
    (worker_home / "worker.starting").touch()
    hook("codex", "log_event", hook_event_name="UserPromptSubmit", prompt="1", turn_id="1")
    threading.Thread(target=silence_later, args=(proxy,)).start()
    proxy.delay_s = 0.05
    failed = dreamhook("drain", "--timeout", "3", check=False)
    assert (failed.returncode, len(failed.stderr.strip().splitlines())) == (1, 1)
    assert "1 events not uploaded yet, kept in the spool" in failed.stderr
    proxy.silent, proxy.delay_s = False, 0
    dreamhook("drain")
    assert total(graph) == 1


def silence_later(proxy):
    while proxy.pieces < 4:
        time.sleep(0.01)
    proxy.silent = True


def test_a_slow_store_gets_all_in_order(graph, worker_home, proxy):
    proxy.delay_s = 0.1
    for number in range(12):
        hook("claude_code", "log_event", hook_event_name="Notification", message=str(number))
    dreamhook("drain", "--timeout", "60")
    assert numbers(graph) == [str(number) for number in range(12)]


def test_a_store_that_comes_and_goes_gets_all_in_order(graph, worker_home, store):
    config_file = worker_home / "config.toml"
    whole = config_file.read_text()
    for number in range(4):
        proxy = Proxy(store.uri)
        config_file.write_text(whole.replace(store.uri, proxy.uri))
        assert control.stop()
        hook("claude_code", "log_event", hook_event_name="Notification", message=f"{number}a")
        assert control.start()
        proxy.close()
        hook("claude_code", "log_event", hook_event_name="Notification", message=f"{number}b")
    config_file.write_text(whole)
    assert control.stop()
    dreamhook("drain", "--timeout", "60")
    assert numbers(graph) == [f"{number}{half}" for number in range(4) for half in "ab"]


def test_the_worker_tells_what_it_did_and_how_large_it_is(graph, worker_home):
    hook("claude_code", "log_event", hook_event_name="Notification", message="x")
    assert control.start()
    wait_until(lambda: total(graph) == 1)
    wait_until(lambda: control.status()["appended"] == 1)
    told = json.loads(dreamhook("worker", "status", "--json").stdout)
    assert told["running"]
    assert told["rounds"] >= 1
    assert told["failures"] == 0
    assert 20 < told["rss_mb"] < 200


def test_a_session_that_fell_silent_is_closed_by_the_worker(graph, worker_home):
    long_ago = "2020-01-01T10:00:00+00:00"
    append(graph, SESSION, [row(1, timestamp=long_ago) | {"timestamp": long_ago}])
    assert control.start()
    ended = "MATCH (s:Session) RETURN s.ended_at AS at, s.end_reason AS why"
    wait_until(lambda: graph.execute_query(ended).records[0]["at"] == long_ago)
    assert graph.execute_query(ended).records[0]["why"] == "silence"


def test_what_waited_for_a_month_is_tried_once_more_before_it_expires(graph, worker_home):
    (worker_home / "worker.starting").touch()
    hook("codex", "log_event", hook_event_name="UserPromptSubmit", prompt="1", turn_id="1")
    age(worker_home, days=40)
    assert control.start()
    wait_until(lambda: total(graph) == 1)
    assert spool()["expired"] == 0


def test_what_waited_too_long_for_a_store_is_shown_and_can_be_taken_back(graph, worker_home):
    (worker_home / "worker.starting").touch()
    before = point_to(worker_home, f"bolt://127.0.0.1:{closed_port()}")
    for number in range(2):
        hook(
            "codex",
            "log_event",
            hook_event_name="UserPromptSubmit",
            prompt=str(number),
            turn_id=str(number),
        )
    age(worker_home, days=40)
    hook("codex", "log_event", hook_event_name="UserPromptSubmit", prompt="2", turn_id="2")
    assert control.start()
    wait_until(lambda: (spool()["expired"], spool()["depth"]) == (2, 1))
    findings = json.loads(dreamhook("doctor", "--json", check=False).stdout)
    [expired] = [one for one in findings if one["check"] == "expired"]
    assert (expired["ok"], expired["fix"]) == (False, "dreamhook drain --expired")
    assert control.stop()
    (worker_home / "config.toml").write_text(before)
    assert "2 expired events" in dreamhook("drain", "--expired").stderr
    assert total(graph) == 3
    assert spool()["expired"] == 0


def age(home, days):
    for file in (home / "spool/new").iterdir():
        os.utime(file, (time.time() - days * 86_400,) * 2)


def spool():
    return json.loads(dreamhook("status", "--json").stdout)["spool"]


def test_a_spool_over_its_quota_is_shown_and_recovers_by_itself(graph, worker_home):
    config = (worker_home / "config.toml").read_text()
    (worker_home / "config.toml").write_text(config + "\n[spool]\nmax_files = 3\n")
    before = point_to(worker_home, f"bolt://127.0.0.1:{closed_port()}")
    (worker_home / "worker.starting").touch()
    for number in range(4):
        hook(
            "codex",
            "log_event",
            hook_event_name="UserPromptSubmit",
            prompt=str(number),
            turn_id=str(number),
        )
    (worker_home / "worker.starting").unlink()
    assert control.start()
    wait_until(lambda: (worker_home / "spool/over").exists())
    hook("codex", "log_event", hook_event_name="UserPromptSubmit", prompt="x" * 5000, turn_id="4")
    told = spool()
    assert (told["depth"], told["reduced"], told["over_quota"], told["lost"]) == (5, 1, True, 0)
    assert control.stop()
    (worker_home / "config.toml").write_text(before)
    assert control.start()
    wait_until(lambda: total(graph) == 5)
    assert control.stop()
    assert control.start()
    wait_until(lambda: not (worker_home / "spool/over").exists())


def test_a_full_disk_is_emptied_by_a_worker_that_starts_on_it(graph, worker_home):
    content = {file.name: file.read_bytes() for file in worker_home.iterdir() if file.is_file()}
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", worker_home], capture_output=True
    ).returncode:
        pytest.skip("only root may mount a small disk")
    try:
        for name, data in content.items():
            (worker_home / name).write_bytes(data)
        (worker_home / "worker.starting").touch()
        for number in range(5):
            hook("claude_code", "log_event", hook_event_name="Notification", message=str(number))
        with (
            contextlib.suppress(OSError),
            open(worker_home / "ballast", "wb", buffering=0) as ballast,
        ):
            while True:
                ballast.write(b"x" * 4096)
        for number in range(5, 10):
            hook("claude_code", "log_event", hook_event_name="Notification", message=str(number))
        (worker_home / "worker.starting").unlink()
        hook("claude_code", "log_event", hook_event_name="Notification", message="10")
        wait_until(lambda: total(graph) == 11)
        assert numbers(graph) == [str(number) for number in range(11)]
        assert control.stop()
    finally:
        subprocess.run(["umount", "-l", worker_home], check=True)


def test_a_killed_worker_leaves_no_child_and_the_next_hook_starts_another(graph, worker_home):
    first = control.start()["pid"]
    os.kill(first, signal.SIGKILL)
    (worker_home / "worker.starting").unlink(missing_ok=True)
    wait_until(lambda: not Path(f"/proc/{first}").exists())
    hook("claude_code", "log_event", hook_event_name="Notification", message="x")
    wait_until(lambda: total(graph) == 1)
    assert control.status()["pid"] != first


def test_the_log_is_bounded(home):
    try:
        loop._log_to_file()
        for _ in range(40_000):
            loop.log.info("%s", "x" * 100)
        folder = home / "log"
        assert len(list(folder.iterdir())) == 3
        assert sum(file.stat().st_size for file in folder.iterdir()) <= 3 << 20
    finally:
        for handler in loop.log.handlers[:]:
            loop.log.removeHandler(handler)
            handler.close()
        loop.log.propagate = True
        logging.getLogger("neo4j").setLevel(logging.NOTSET)
