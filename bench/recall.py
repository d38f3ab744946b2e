"""How well recall finds and how fast: prints tables, asserts nothing.

    .venv/bin/python bench/recall.py [--sizes 100,10000] [--show] [--phrases] [--semantic] [--record]

Quality on tests/recall_set, alone and among so many other notes in the same scopes; what the worker needs for a prompt.
Without NEO4J_TEST_URI (its content is deleted!) an embedded store is started in a temporary home.
The raw record is searched as well where sets are named that the project does not hold (--record: nothing but that):
LOCOMO_FILE (locomo10.json), BEAM_FOLDER (its chats/100K), SESSIONS_GIT (a git directory, see recall_sessions.py).
"""

import argparse
import json
import os
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import fillers, recall_beam, recall_locomo, recall_sessions, recall_set
from dreamhook import config
from dreamhook.memory import note_versions
from dreamhook.recall import context
from dreamhook.recall.closeness import Closeness
from dreamhook.recall.search import Closest
from dreamhook.store import server
from dreamhook.store.connect import open_store
from dreamhook.store.endpoint import Endpoint
from dreamhook.store.link import Link
from dreamhook.store.query import Store
from dreamhook.store.schema import migrate
from dreamhook.worker.requests import Recaller

SCREEN = Console(width=130)
RECORD = (
    ("LOCOMO_FILE", recall_locomo.measure),
    ("LOCOMO_FILE", partial(recall_locomo.measure, second="user")),
    ("BEAM_FOLDER", recall_beam.measure),
    ("SESSIONS_GIT", recall_sessions.measure),
)
LOG = "\n".join(
    f"2026-11-29 10:{second // 60:02d}:{second % 60:02d}.113 INFO [worker-{second % 7}] "
    f"c.a.p.Pool - connection acquired id={7 * second}"
    for second in range(70)
)
PLACES = sorted({(prompt.of, prompt.where) for prompt in recall_set.prompts()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sizes", default="100,10000", help="notes beside the set's own, in turn")
    parser.add_argument(
        "--show", action="store_true", help="name the tuning prompts that went wrong"
    )
    parser.add_argument(
        "--phrases",
        action="store_true",
        help="with short phrases as cues, no whole prompts among them",
    )
    parser.add_argument(
        "--semantic", action="store_true", help="also with the embedding model (extra `semantic`)"
    )
    parser.add_argument(
        "--record",
        action="store_true",
        help="only the raw record, on the sets the environment names",
    )
    options = parser.parse_args()
    with store() as endpoint, open_store(endpoint, timeout=60) as graph:
        if not options.record:
            notes(graph, endpoint, list(map(int, options.sizes.split(","))), options)
        for name, measure in RECORD:
            if os.environ.get(name):
                empty(graph)
                SCREEN.print(measure(graph, Path(os.environ[name])))


def notes(graph: Store, endpoint: Endpoint, sizes: list[int], options: argparse.Namespace) -> None:
    """The labelled set alone, then among more and more others."""
    empty(graph)
    recall_set.write(graph, list(recall_set.versions(typed=not options.phrases)))
    closest = partial(Closeness().of, wait=True) if options.semantic else None
    quality(graph, "the set alone", options.show, closest)
    there = 0
    for size in sizes:
        add_notes(graph, there, size)
        there = size
        quality(graph, f"among {size:,} more", closest=closest)
        latency(graph, endpoint, size, options.semantic)


def quality(graph: Store, title: str, show: bool = False, closest: Closest | None = None) -> None:
    columns = (
        "set",
        "split",
        "prompts",
        "right in block",
        "false injection",
        "wrong scope",
        "without term counts",
        "above 6 kB of log",
        "by meaning too",
    )
    table = Table(*columns, title=title)
    every = recall_set.prompts()
    for of, split in sorted(
        {(one.of, one.split) for one in every}, key=lambda row: (row[1] == "held_out", row[0])
    ):
        some = [one for one in every if (one.of, one.split) == (of, split)]
        judged = recall_set.judge(graph, some)
        right, false, wrong = recall_set.rates(judged)
        plain = recall_set.rates(recall_set.judge(graph, some, counted=False))
        pasted = recall_set.rates(
            recall_set.judge(graph, [replace(one, prompt=f"{one.prompt}\n\n{LOG}") for one in some])
        )
        near = (
            recall_set.rates(recall_set.judge(graph, some, closeness=closest)) if closest else None
        )
        shares = [f"{right:.3f}", f"{false:.3f}", str(wrong), f"{plain[0]:.3f} / {plain[1]:.3f}"]
        shares += [f"{pasted[0]:.3f} / {pasted[1]:.3f}"]
        shares += [f"{near[0]:.3f} / {near[1]:.3f}"] if near else []
        table.add_row(of, split, str(len(some)), *shares)
        for one in judged if show and split == "tuning" else ():
            if one.hit != bool(one.prompt.right) or (one.given and not one.prompt.right):
                SCREEN.print(
                    f"{one.prompt.where}: {one.prompt.prompt}\n   {one.prompt.right} ← {one.given} {one.best:.2f}"
                )
    SCREEN.print(table)


def latency(graph: Store, endpoint: Endpoint, size: int, semantic: bool) -> None:
    """The worker's whole answer, from payload bytes to reply bytes."""
    link = Link()
    link.endpoint, link.store = endpoint, graph
    recaller = Recaller(link, replace(config.load(), semantic=semantic))
    here = {where: recall_set.scopes_in(where, of) for of, where in PLACES}
    setattr(context, "permitted", lambda _settings, folder: here[str(folder)])  # noqa: B010
    long = "ERROR at line 3 of importer.py: duplicate key\n" * 4_500
    rows: dict[str, list[float]] = {}
    for number in range(3):
        for i, one in enumerate(recall_set.prompts("mixed")):
            base = {"session_id": f"{size}-{number}-{i}", "cwd": one.where}
            asked = {"prompt": one.prompt, "hook_event_name": "UserPromptSubmit"}
            started = {"hook_event_name": "SessionStart", "source": "startup"}
            kinds: dict[str, dict[str, Any]] = {"prompt": asked}
            kinds |= (
                {"start": started, "200 kB prompt": asked | {"prompt": one.prompt + long}}
                if i % 10 == 0
                else {}
            )
            for name, payload in kinds.items():
                body = json.dumps(base | payload).encode()
                began = time.perf_counter()
                recaller.answer("claude_code", body)
                if number:
                    rows.setdefault(name, []).append((time.perf_counter() - began) * 1000)
    recaller.teller.close()
    table = Table("answer", "n", "p50 ms", "p95 ms", title=f"in the worker, {size:,} notes")
    for name, taken in rows.items():
        cut = statistics.quantiles(taken, n=100, method="inclusive")
        table.add_row(name, str(len(taken)), f"{cut[49]:.1f}", f"{cut[94]:.1f}")
    SCREEN.print(table)


def add_notes(graph: Store, there: int, size: int) -> None:
    """Notes on other subjects: a third in the sets' repositories, the rest elsewhere."""
    some = []
    for number in range(there, size):
        dice = random.Random(-number)
        of, where = (
            dice.choice(PLACES) if dice.random() < 0.33 else ("mixed", f"elsewhere-{number % 40}")
        )
        path, owner = f"project/note-{number}.md", recall_set.person(of)
        some.append(
            note_versions.Version(f"repo:{where}", path, fillers.note(number), owner, None, 0)
        )
    recall_set.fill(graph, some)


def empty(graph: Store) -> None:
    with graph.session() as session:
        session.run(
            "MATCH (n) WHERE NOT n:SchemaVersion AND NOT n:Counter "
            "CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS"
        ).consume()


@contextmanager
def store() -> Iterator[Endpoint]:
    uri = os.environ.get("NEO4J_TEST_URI")
    folder = tempfile.TemporaryDirectory(prefix="dh-bench-")
    os.environ["DREAMHOOK_HOME"] = folder.name
    endpoint = (
        Endpoint(
            "given",
            uri,
            os.environ.get("NEO4J_TEST_USER", "neo4j"),
            os.environ["NEO4J_TEST_PASSWORD"],
        )
        if uri
        else server.start()
    )
    with open_store(endpoint, timeout=60) as graph:
        migrate(graph)
    try:
        yield endpoint
    finally:
        if not uri:
            server.stop()
        folder.cleanup()


if __name__ == "__main__":
    main()
