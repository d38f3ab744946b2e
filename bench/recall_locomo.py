"""LoCoMo (locomo10.json): the turns that hold a question's answer, found by the product's event search.

Ten conversations of two people over months. Questions of categories 1–4 with evidence, each asked in its own
conversation; the fifth category is adversarial, nothing answers it.
"""

import json
from pathlib import Path
from typing import Any

from rich.progress import track
from rich.table import Table

from bench.recall_events import PROGRESS, Question, Said, ask, record, settled, table
from dreamhook.store.query import Store

KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
SHAPES = {"assistant": "as prompts and answers", "user": "all as prompts"}


def measure(graph: Store, file: Path, second: str = "assistant") -> Table:
    """Fills the store and asks. The first speaker stands for the person, the `second` for the agent or, as "user",
    for another person: nobody is an agent in these conversations."""
    conversations = json.loads(file.read_text(encoding="utf-8"))
    for one in track(conversations, "recording", console=PROGRESS):
        record(graph, one["sample_id"], sessions(one, second))
    settled(graph)
    asked = [question for one in conversations for question in questions(one)]
    title = f"LoCoMo turns, own conversation, {SHAPES[second]} (to beat: .514 / .619)"
    return table(
        title, ask(graph, asked), {"all": None} | {kind: [kind] for kind in KINDS.values()}
    )


def sessions(conversation: dict[str, Any], second: str) -> dict[str, list[Said]]:
    name, told = conversation["sample_id"], conversation["conversation"]
    found = {}
    for number in range(1, 100):
        turns = told.get(f"session_{number}")
        if turns:
            found[f"{name}-{number}"] = [
                Said(
                    f"{name}:{turn['dia_id']}",
                    "user" if turn["speaker"] == told["speaker_a"] else second,
                    f"{turn['speaker']}: {turn['text']}",
                )
                for turn in turns
            ]
    return found


def questions(conversation: dict[str, Any]) -> list[Question]:
    """An evidence that names no turn (seven do not) stays in the gold: it cannot be found."""
    name = conversation["sample_id"]
    return [
        Question(
            name,
            one["question"],
            frozenset(f"{name}:{turn}" for turn in one["evidence"]),
            KINDS[one["category"]],
        )
        for one in conversation["qa"]
        if one.get("evidence") and one["category"] in KINDS
    ]
