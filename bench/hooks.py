"""What a hook costs, as a ratio to `python -I -S -c pass` measured in turn with it: prints a table, asserts nothing.

    .venv/bin/python bench/hooks.py [--runs 200] [--notes 10000]

Needs a store (the embedded one is started in a temporary home). The store's three states are a worker that reaches it,
a port that refuses, and a port that accepts and never answers. Every run is a whole process as a harness starts it.
"""

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench import fillers, recall_set
from dreamhook import config
from dreamhook.memory import note_versions
from dreamhook.repository import identity
from dreamhook.store.connect import open_store
from dreamhook.store.schema import migrate
from dreamhook.store.state import endpoint

ROOT = Path(__file__).resolve().parent.parent
BARE = [sys.executable, "-I", "-S", "-c", "pass"]
PAYLOAD = {
    "session_id": "bench",
    "cwd": str(ROOT),
    "hook_event_name": "UserPromptSubmit",
    "prompt": "how do we avoid duplicate processing of a batch?",
    "padding": "x" * 1500,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument(
        "--notes", type=int, default=10_000, help="in the store, a third of them in this repository"
    )
    options = parser.parse_args()
    runs = options.runs
    table = Table(
        "hook",
        "store",
        "p50 ms",
        "p99 ms",
        "p50 ×",
        "p99 ×",
        title=f"against a bare interpreter, {runs} runs each",
    )
    with home() as folder:
        dreamhook("neo4j", "start")
        fill(options.notes)
        uri = json.loads(subprocess.check_output([program(), "status", "--json"]))["neo4j"]
        for state, address in (("up", None), ("refused", refused()), ("black hole", black_hole())):
            config = "" if address is None else f'[neo4j]\nuri = "bolt://127.0.0.1:{address}"\n'
            config += (
                f'user = "neo4j"\npassword_file = "{uri["password_file"]}"\n' if address else ""
            )
            (folder / "config.toml").write_text(config)
            dreamhook("worker", "stop")
            dreamhook("worker", "start")
            time.sleep(3)  # let the worker open its graph, or find that it cannot
            for name, row in measure(runs).items():
                table.add_row(name, state, *row)
        for name, row in crowd(max(5, runs // 8)).items():
            table.add_row(name, "", *row)
        dreamhook("worker", "stop")
        (folder / "config.toml").write_text("")
        dreamhook("neo4j", "stop")
    Console(width=100).print(table)


def fill(notes: int) -> None:
    """Give the person at this machine so many notes."""
    here, person = f"repo:{identity.find(str(ROOT)).id}", config.load().person
    some = [
        note_versions.Version(
            here if number % 3 == 0 else f"repo:elsewhere-{number % 40}",
            f"project/note-{number}.md",
            fillers.note(number),
            person,
            None,
            0,
        )
        for number in range(notes)
    ]
    place = endpoint()
    with open_store(place, timeout=60) as graph:
        migrate(graph)
        recall_set.fill(graph, some)


def measure(runs: int) -> dict[str, list[str]]:
    """Bare interpreter and both hooks in turn, so that the machine's other work hits all alike."""
    commands = {"(bare python)": BARE}
    commands |= {
        name: [str(ROOT / "wrappers/claude_code.sh"), name] for name in ("log_event", "inject")
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(runs + 5):
        for name, command in commands.items():
            payload = json.dumps(PAYLOAD | {"prompt_id": f"{time.time_ns()}-{name}"}).encode()
            began = time.perf_counter()
            subprocess.run(command, input=payload, stdout=subprocess.DEVNULL, check=True)
            if number >= 5:
                times[name].append((time.perf_counter() - began) * 1000)
    bare = times["(bare python)"]
    return {name: compared(taken, bare) for name, taken in times.items()}


def crowd(rounds: int) -> dict[str, list[str]]:
    """Sixteen processes started at once, until the last has ended: bare ones and hooks in turn."""
    commands = {
        "(16 bare at once)": BARE,
        "16 log_event at once": [str(ROOT / "wrappers/claude_code.sh"), "log_event"],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            payload = [
                json.dumps(PAYLOAD | {"prompt_id": f"{time.time_ns()}-{one}"}).encode()
                for one in range(16)
            ]
            began = time.perf_counter()
            started = [
                subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
                for _ in payload
            ]
            for process, content in zip(started, payload, strict=True):
                process.communicate(content)
            if number:
                times[name].append((time.perf_counter() - began) * 1000)
    bare = times["(16 bare at once)"]
    return {name: compared(taken, bare) for name, taken in times.items()}


def compared(taken: list[float], bare: list[float]) -> list[str]:
    """p50 and p99 in ms, and both as a multiple of the bare interpreter's."""
    return [f"{quantile(taken, at):.1f}" for at in (50, 99)] + [
        f"{quantile(taken, at) / quantile(bare, at):.2f}" for at in (50, 99)
    ]


def quantile(values: list[float], percent: int) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def program() -> str:
    return str(Path(sys.executable).with_name("dreamhook"))


def dreamhook(*words: str) -> None:
    subprocess.run([program(), *words], check=True, stdout=subprocess.DEVNULL)


@contextmanager
def home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="dh-bench-") as folder:
        os.environ["DREAMHOOK_HOME"] = folder
        yield Path(folder)


def refused() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def black_hole() -> int:
    """A port that accepts connections and never says a word; open until the process ends."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    HELD.append(listener)
    return int(listener.getsockname()[1])


HELD: list[socket.socket] = []

if __name__ == "__main__":
    main()
