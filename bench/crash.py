"""What is lost, doubled or torn when processes are killed at random moments and when the power goes: prints a table.

    .venv/bin/python bench/crash.py [--writers 200] [--workers 100] [--hooks 1000] [--power-cuts 20]

Needs a store (the embedded one is started in a temporary home). An event is acknowledged when its hook has exited: from
then on the agent relies on it. Power cuts need root and a Linux that can mount a file: an ext4 of its own is shut down
under running hooks without writing its journal out (as xfstests' godown does), mounted again and read.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from dreamhook.store.query import Store

ROOT = Path(__file__).resolve().parent.parent
HOOK = [str(ROOT / "wrappers/claude_code.sh"), "log_event"]


@dataclass
class Outcome:
    """What a series of crashes did."""

    crashes: int
    acknowledged: list[int]
    stored: list[int] = field(default_factory=list)
    """As the list in the store, or the spool, has them."""
    broken: int = 0
    """Sessions whose list is not one line."""

    def lost(self) -> int:
        return len(set(self.acknowledged) - set(self.stored))

    def doubled(self) -> int:
        return len(self.stored) - len(set(self.stored))

    def in_order(self) -> bool:
        return self.stored == sorted(self.stored)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--writers", type=int, default=200)
    parser.add_argument("--workers", type=int, default=100)
    parser.add_argument(
        "--hooks", type=int, default=1000, help="hooks after which nothing may be left running"
    )
    parser.add_argument("--power-cuts", type=int, default=20)
    wanted = parser.parse_args()
    table = Table("crash", "times", "acknowledged", "lost", "doubled", "order", "lists")
    sys.path.insert(0, str(ROOT))
    with home(), store() as graph:
        if wanted.writers:
            table.add_row("hook, kill -9", *told(kill_writers(graph, "writers", wanted.writers)))
        if wanted.workers:
            table.add_row("worker, kill -9", *told(kill_workers(graph, "workers", wanted.workers)))
        left = left_over(wanted.hooks) if wanted.hooks else None
    if wanted.power_cuts:
        from bench.power import cut_power

        outcome = cut_power(wanted.power_cuts)
        table.add_row(
            "power cut (ext4)", *(told(outcome) if outcome else ["not possible here", *[""] * 5])
        )
    Console(width=100).print(table)
    if left is not None:
        print(
            f"processes left after {wanted.hooks} hooks, a dream and the worker's leaving: {left}"
        )


def told(outcome: Outcome) -> list[str]:
    return [
        str(outcome.crashes),
        str(len(outcome.acknowledged)),
        str(outcome.lost()),
        str(outcome.doubled()),
        "kept" if outcome.in_order() else "broken",
        "whole" if not outcome.broken else f"{outcome.broken} broken",
    ]


def kill_writers(graph: Store, session: str, kills: int) -> Outcome:
    """Kill -9 so many hooks, each at a random moment of its life; one after another, so that there is an order."""
    outcome, number, life = Outcome(0, []), 0, 0.05
    progress = iter(
        track(range(kills), "killing hooks", console=Console(stderr=True), transient=True)
    )
    while outcome.crashes < kills:
        number += 1
        began = time.perf_counter()
        with hook(session, number) as process:
            if number % 4:
                try:
                    process.wait(random.uniform(0, 1.2 * life))
                except subprocess.TimeoutExpired:
                    process.kill()
            if process.wait() == 0:
                outcome.acknowledged.append(number)
                life = 0.8 * life + 0.2 * (time.perf_counter() - began)
            else:
                outcome.crashes += 1
                next(progress, None)
    return judged(outcome, graph, session)


def kill_workers(graph: Store, session: str, kills: int) -> Outcome:
    """Kill -9 so many workers, each at a random moment from its first instruction on, while hooks go on recording."""
    from dreamhook import paths

    outcome, over = Outcome(0, []), threading.Event()

    def record() -> None:
        number = 0
        while not over.is_set():
            number += 1
            with hook(session, number) as process:
                if process.wait() == 0:
                    outcome.acknowledged.append(number)

    recording = threading.Thread(target=record)
    recording.start()
    last = 0
    progress = iter(
        track(range(kills), "killing workers", console=Console(stderr=True), transient=True)
    )
    while outcome.crashes < kills:
        pid = last
        while pid == last:
            Path(paths.state_file(paths.WORKER_STARTING)).unlink(missing_ok=True)
            subprocess.run(
                [sys.executable, "-c", "from dreamhook.hook import notify; notify.ring()"], cwd=ROOT
            )
            deadline = time.monotonic() + 3
            while pid == last and time.monotonic() < deadline:
                pid = worker_pid(last)
                time.sleep(0.005)
        time.sleep(random.uniform(0, 1.5))
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
        outcome.crashes += 1
        next(progress, None)
        last = pid
    over.set()
    recording.join()
    return judged(outcome, graph, session)


def left_over(hooks: int) -> int:
    """Processes of this home that still run after so many hooks, a dream without a key, and `worker stop`."""
    from dreamhook.worker import control

    for number in track(
        range(hooks), "running hooks", console=Console(stderr=True), transient=True
    ):
        with hook("many", number) as process:
            process.wait()
    subprocess.run(
        [program(), "dream"], check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    told = control.status()
    print(
        f"worker after {hooks} hooks: {told['rss_mb'] if told else '?'} MB resident",
        file=sys.stderr,
    )
    control.stop()
    mark, left = f"DREAMHOOK_HOME={os.environ['DREAMHOOK_HOME']}".encode(), 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            ours = (
                mark in (folder / "environ").read_bytes().split(b"\0")
                and int(folder.name) != os.getpid()
            )
            left += (
                ours and b"java" not in (folder / "cmdline").read_bytes()
            )  # the store goes on, as it should
        except OSError:
            continue
    return left


def worker_pid(otherwise: int) -> int:
    """Who holds the worker's lock, by what it wrote there."""
    from dreamhook import paths

    try:
        return int(Path(paths.state_file(paths.WORKER_LOCK)).read_text())
    except (OSError, ValueError):
        return otherwise


def judged(outcome: Outcome, graph: Store, session: str) -> Outcome:
    """Drain what is left, then read what the store has."""
    from dreamhook.record.repair import broken
    from dreamhook.worker import control

    subprocess.run([program(), "drain", "--timeout", "120"], check=True, stdout=subprocess.DEVNULL)
    control.stop()
    records, _, _ = graph.driver.execute_query(
        "MATCH (e:Event {session_id: $session}) RETURN toInteger(e.message) AS number ORDER BY e.seq",
        session=session,
    )
    outcome.stored = [record["number"] for record in records]
    outcome.broken = len(broken(graph))
    return outcome


@contextmanager
def hook(session: str, number: int) -> Iterator[subprocess.Popen[bytes]]:
    """A recording hook that has its payload and runs."""
    payload = {
        "session_id": session,
        "cwd": "/nowhere",
        "hook_event_name": "Notification",
        "message": str(number),
    }
    with subprocess.Popen(
        HOOK, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin
        try:
            process.stdin.write(json.dumps(payload | {"padding": "x" * 2000}).encode())
            process.stdin.close()
        except BrokenPipeError:
            pass
        yield process


def program() -> str:
    return str(Path(sys.executable).with_name("dreamhook"))


@contextmanager
def home() -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="dh-bench-") as folder:
        os.environ["DREAMHOOK_HOME"] = folder
        yield


@contextmanager
def store() -> Iterator[Store]:
    from dreamhook.store import server
    from dreamhook.store.connect import open_store
    from dreamhook.store.schema import migrate

    try:
        with open_store(server.start(), timeout=30) as graph:
            migrate(graph)
            yield graph
    finally:
        subprocess.run([program(), "neo4j", "stop"], check=False, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
