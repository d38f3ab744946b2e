"""How fast the spool goes into the store, and whether a long session costs more per event: prints a table.

    .venv/bin/python bench/drain.py [--events 20000] [--long 100000]

Needs a store (the embedded one is started in a temporary home). Events are what a coding session is made of: prompts,
tool calls with a few kB of output, final answers. "drain" is what the worker does: read, parse, scrub, normalise,
append, delete. "append" is the store's part alone, at the end of a list of the given length.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from dreamhook.store.query import Store

WORDS = "batch retry commit item queue worker index merge branch token parser buffer test failed passed file".split()
BLOCK = 500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument(
        "--long", type=int, default=100_000, help="length of the long session; 0 leaves it out"
    )
    wanted = parser.parse_args()
    with home(), store() as graph:
        table = Table(
            "what", "events", "seconds", "events/s", "µs/event", title="into the embedded store"
        )
        drain(2_000, graph)  # warm: plans cached, the Java compiler awake
        ours, servers = time.process_time(), server_cpu()
        seconds = drain(wanted.events, graph)
        used = [
            (now - then) / wanted.events * 1e6
            for now, then in ((time.process_time(), ours), (server_cpu(), servers))
        ]
        table.add_row("drain, 10 sessions", *rate(wanted.events, seconds))
        if wanted.long:
            for name, row in sessions(graph, wanted.long).items():
                table.add_row(name, *row)
        highest, after = worker_memory(wanted.events)
        Console(width=100).print(table)
        print(
            f"processor µs per event: {used[0]:.0f} here, filling the spool included; {used[1]:.0f} in the store"
        )
        print(
            f"load of the machine meanwhile: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
        )
        print(
            f"worker: {highest} MB resident at most over {wanted.events} events in its spool, {after} MB after them"
        )


def drain(count: int, graph: Store) -> float:
    """Fill the spool with so many events of ten sessions and drain it; seconds for the drain alone."""
    from dreamhook import config
    from dreamhook.record import drain as draining

    fill(count, f"bench-{count}")
    settings = config.load()
    began, appended = time.perf_counter(), 0
    while appended < count:
        with draining.turn():
            appended += draining.drain_round(graph, settings).appended
    return time.perf_counter() - began


def server_cpu() -> float:
    """Seconds of processor time the store has used; 0 where the system does not tell."""
    from dreamhook.store import server

    try:
        fields = Path(f"/proc/{server.status()['pid']}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def worker_memory(count: int) -> tuple[float, float]:
    """Resident MB of a worker that finds so many events waiting: the most seen while it drains, and afterwards."""
    from dreamhook.spool import reader
    from dreamhook.worker import control

    fill(count, f"worker-{count}")
    told = control.start()
    highest = last = told["rss_mb"] if told else 0.0
    while reader.anything_waits():
        time.sleep(0.05)
        last = (control.status() or {}).get("rss_mb", last)
        highest = max(highest, last)
    control.stop()
    return highest, last


def fill(count: int, name: str) -> None:
    """So many events of ten sessions into the spool."""
    chance = random.Random(name)
    for number in track(
        range(count), f"spooling {count}", console=Console(stderr=True), transient=True
    ):
        spool_one(payload(number, f"{name}-{number % 10}", chance))


def spool_one(content: dict[str, Any]) -> None:
    """As the hook does, less its fsyncs: the bench's subject is the other end."""
    from dreamhook import paths

    now = time.time_ns()
    data = json.dumps(content).encode()
    folder = Path(paths.spool_dir(), "new")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{now:020d}-{os.getpid()}").write_bytes(
        b"dreamhook/1 claude_code %d %d\n" % (now, len(data)) + data
    )


def payload(number: int, session: str, chance: random.Random) -> dict[str, Any]:
    base = {"session_id": session, "cwd": f"/nowhere/{session}", "transcript_path": "/t/x.jsonl"}
    kind = number // 10 % 5
    if kind == 0:
        return base | {
            "hook_event_name": "UserPromptSubmit",
            "prompt": text(chance, 40),
            "prompt_id": f"p{number}",
        }
    if kind == 4:
        return base | {
            "hook_event_name": "Stop",
            "last_assistant_message": text(chance, 120),
            "prompt_id": f"s{number}",
        }
    call = {
        "tool_name": "Bash",
        "tool_use_id": f"t{number}",
        "tool_input": {"command": text(chance, 12)},
    }
    if kind == 1:
        return base | call | {"hook_event_name": "PreToolUse"}
    output = {"stdout": text(chance, 200), "stderr": "", "interrupted": False}
    return base | call | {"hook_event_name": "PostToolUse", "tool_response": output}


def text(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, k=words))


def sessions(graph: Store, length: int) -> dict[str, list[str]]:
    """What one more block of events costs at the end of a short session's list and of a long one's, in turn."""
    from dreamhook.record.append import append

    at = 0
    for at in track(
        range(0, length, BLOCK),
        f"a session of {length}",
        console=Console(stderr=True),
        transient=True,
    ):
        append(graph, session("long"), rows("long", at, BLOCK))
    short: list[float] = []
    long: list[float] = []
    for turn in range(30):
        for taken, name, first in (
            (short, f"short-{turn}", 0),
            (long, "long", at + BLOCK + turn * 100),
        ):
            block = rows(name, first, 100)
            began = time.perf_counter()
            append(graph, session(name), block)
            taken.append(time.perf_counter() - began)
    return {
        "append to a session of 0–100": rate(100, sorted(short)[15]),
        f"append to a session of {length}": rate(100, sorted(long)[15]),
    }


def session(name: str) -> Any:
    return {
        "client": "claude_code", "session_id": name, "parent": None, "cwd": "/nowhere", "branch": None,
        "repository": "r", "repository_name": "r", "remote": None, "person": "bench", "synthetic": None,
    }  # fmt: skip


def rows(name: str, first: int, count: int) -> list[Any]:
    made = []
    for number in range(first, first + count):
        event_id = f"{name}-{number}"
        properties = {
            "event_id": event_id,
            "event_name": "Notification",
            "timestamp": "2026-11-29T10:00:00+00:00",
        }
        properties |= {
            "client": "claude_code",
            "session_id": name,
            "message": "x" * 500,
            "person": "bench",
        }
        row = {
            "event_name": "Notification",
            "timestamp": properties["timestamp"],
            "same": [event_id],
        }
        made.append(row | {"properties": properties})
    return made


def rate(events: int, seconds: float) -> list[str]:
    return [
        str(events),
        f"{seconds:.2f}",
        f"{events / seconds:.0f}",
        f"{seconds / events * 1e6:.0f}",
    ]


@contextmanager
def home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="dh-bench-") as folder:
        os.environ["DREAMHOOK_HOME"] = folder
        yield Path(folder)


@contextmanager
def store() -> Iterator[Store]:
    from dreamhook.store import server
    from dreamhook.store.connect import open_store
    from dreamhook.store.schema import migrate

    program = str(Path(sys.executable).with_name("dreamhook"))
    try:
        with open_store(server.start(), timeout=30) as graph:
            migrate(graph)
            yield graph
    finally:
        subprocess.run([program, "neo4j", "stop"], check=False, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
