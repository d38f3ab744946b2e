"""How well recall finds and how fast: prints tables, asserts nothing.

    .venv/bin/python bench/recall.py [--sizes 100,10000] [--show]

Quality on tests/recall_set, alone and among so many other notes in the same scopes; what the worker needs for a prompt.
Without NEO4J_TEST_URI (its content is deleted!) an embedded store is started in a temporary home.
With LOCOMO_FILE (locomo10.json) the event search is measured on it as well.
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
from pathlib import Path
from typing import Any

from neo4j import Driver
from rich.console import Console
from rich.table import Table

from bench import recall_set
from dreamhook import config, memory_store
from dreamhook.memory import Note
from dreamhook.recall.vocabulary import FOLDER as WORDS
from dreamhook.store import managed
from dreamhook.store.connect import open_driver
from dreamhook.store.endpoint import Endpoint
from dreamhook.store.link import Link
from dreamhook.store.schema import migrate
from dreamhook.worker import recaller as recallers

SCREEN = Console(width=110)
SUBJECTS = """
sensor turbine valve firmware telemetry satellite orbit antenna spectrum beam lens laser robot gripper conveyor
hydraulic pump pressure gasket torque bearing rotor stator winding inverter battery charger anode harvest irrigation
greenhouse seed soil tractor barn poultry dairy cheese bakery oven recipe menu table-plan waiter reservation theatre
ticket stage curtain orchestra violin score-sheet tempo chord synth mixer podcast episode subtitle codec bitrate muxer
playlist puzzle sprite shader voxel dungeon quest inventory loot avatar guild leaderboard chess bishop knight opening
museum fossil amber mineral quarry glacier tide buoy harbour ferry crane anchor sail kayak trail ridge summit hut
avalanche ski lift slope piste helmet saddle pedal chain derailleur tyre wheel axle gearbox clutch piston exhaust
radar sonar drone glider runway hangar cockpit altimeter cargo manifest pallet forklift barcode customs tariff
vaccine syringe ward triage dosage allergy radiology suture enzyme protein genome primer centrifuge pipette reagent
telescope nebula quasar parsec comet lander rover crater regolith insulin glucose retina cornea molar enamel
""".split()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sizes", default="100,10000", help="notes beside the set's own, in turn")
    parser.add_argument("--show", action="store_true", help="name the tuning prompts that went wrong")
    options = parser.parse_args()
    with store() as endpoint, open_driver(endpoint, timeout=60) as driver:
        empty(driver)
        recall_set.write(driver, list(recall_set.versions()))
        quality(driver, "the set alone", options.show)
        there = 0
        for size in map(int, options.sizes.split(",")):
            add_notes(driver, there, size)
            there = size
            quality(driver, f"among {size:,} more")
            latency(driver, endpoint, size)
        if os.environ.get("LOCOMO_FILE"):
            from bench import recall_events

            empty(driver)
            SCREEN.print(recall_events.locomo(driver, Path(os.environ["LOCOMO_FILE"])))


def quality(driver: Driver, title: str, show: bool = False) -> None:
    table = Table(
        "split", "prompts", "right in block", "false injection", "wrong scope", "without term counts", title=title
    )
    every = recall_set.prompts()
    for split in ("tuning", "held_out"):
        some = [one for one in every if one.split == split]
        judged = recall_set.judge(driver, some)
        right, false, wrong = recall_set.rates(judged)
        plain = recall_set.rates(recall_set.judge(driver, some, counted=False))
        table.add_row(
            split, str(len(some)), f"{right:.3f}", f"{false:.3f}", str(wrong), f"{plain[0]:.3f} / {plain[1]:.3f}"
        )
        for one in judged if show and split == "tuning" else ():
            if one.hit != bool(one.prompt.right) or (one.given and not one.prompt.right):
                SCREEN.print(
                    f"{one.prompt.where}: {one.prompt.prompt}\n   {one.prompt.right} ← {one.given} {one.best:.2f}"
                )
    SCREEN.print(table)


def latency(driver: Driver, endpoint: Endpoint, size: int) -> None:
    """The worker's whole answer, from payload bytes to reply bytes."""
    link = Link()
    link.endpoint, link.driver = endpoint, driver
    recaller = recallers.Recaller(link, config.load())
    here = {one: recall_set.scopes_in(one) for one in {prompt.where for prompt in recall_set.prompts()}}
    setattr(recallers, "permitted", lambda _settings, folder: here[str(folder)])  # noqa: B010
    long = "ERROR at line 3 of importer.py: duplicate key\n" * 4_500
    rows: dict[str, list[float]] = {}
    for number in range(3):
        for i, one in enumerate(recall_set.prompts()):
            base = {"session_id": f"{size}-{number}-{i}", "cwd": one.where}
            asked = {"prompt": one.prompt, "hook_event_name": "UserPromptSubmit"}
            started = {"hook_event_name": "SessionStart", "source": "startup"}
            kinds: dict[str, dict[str, Any]] = {"prompt": asked}
            kinds |= {"start": started, "200 kB prompt": asked | {"prompt": one.prompt + long}} if i % 10 == 0 else {}
            for name, payload in kinds.items():
                body = json.dumps(base | payload).encode()
                began = time.perf_counter()
                recaller.answer("claude_code", body)
                if number:
                    rows.setdefault(name, []).append((time.perf_counter() - began) * 1000)
    recaller.settle()
    table = Table("answer", "n", "p50 ms", "p95 ms", title=f"in the worker, {size:,} notes")
    for name, taken in rows.items():
        cut = statistics.quantiles(taken, n=100, method="inclusive")
        table.add_row(name, str(len(taken)), f"{cut[49]:.1f}", f"{cut[94]:.1f}")
    SCREEN.print(table)


def add_notes(driver: Driver, there: int, size: int) -> None:
    """Notes on other subjects with the everyday words of all: a third in the set's scopes, the rest elsewhere."""
    common = " ".join(
        line for line in (WORDS / "common.txt").read_text(encoding="utf-8").splitlines() if not line.startswith("#")
    ).split()
    repositories = ["shop-api", "mobile-app", "infra", "ledger", "docs-site", "ml-pipeline"]
    some = []
    for number in range(there, size):
        dice = random.Random(number)
        subjects = dice.sample(SUBJECTS, 8)

        def words(count: int, dice: random.Random = dice, subjects: list[str] = subjects) -> str:
            return " ".join(
                dice.choice(subjects) if dice.random() < 0.45 else dice.choice(common) for _ in range(count)
            )

        where = dice.choice(repositories) if dice.random() < 0.33 else f"elsewhere-{number % 40}"
        note = Note(
            title=words(5),
            kind="lesson",
            description=words(12),
            cues=[words(3) for _ in range(9)],
            author="dream",
            evidence=[],
            review_by="2027-05-01",
            body="\n\n".join(words(40) + "." for _ in range(4)),
        )
        some.append(
            memory_store.Version(f"repo:{where}", f"project/note-{number}.md", note, recall_set.PERSON, None, 0)
        )
    recall_set.fill(driver, some)


def empty(driver: Driver) -> None:
    with driver.session() as session:
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
        Endpoint("given", uri, os.environ.get("NEO4J_TEST_USER", "neo4j"), os.environ["NEO4J_TEST_PASSWORD"])
        if uri
        else managed.start()
    )
    with open_driver(endpoint, timeout=60) as driver:
        migrate(driver)
    try:
        yield endpoint
    finally:
        if not uri:
            managed.stop()
        folder.cleanup()


if __name__ == "__main__":
    main()
