"""BEAM at 100K tokens: the messages that hold an answer, found by the product's event search.

Twenty conversations with an assistant, in a folder that holds <n>/chat.json and
<n>/probing_questions/probing_questions.json. Questions that name their messages, each asked in its own conversation.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.progress import track
from rich.table import Table

from bench.recall_events import PROGRESS, Question, Said, ask, record, settled, table
from dreamhook.store.query import Store

LEFT_OUT = ("summarization", "event_ordering")
"""Their answers stand in so many messages that five cannot hold them."""


def measure(graph: Store, folder: Path) -> Table:
    """Fills the store and asks."""
    files = sorted(folder.glob("*/chat.json"))
    for file in track(files, "recording", console=PROGRESS):
        record(graph, conversation(file), sessions(file))
    settled(graph)
    asked = [question for file in files for question in questions(file)]
    groups = {"all": None} | {kind: [kind] for kind in sorted({one.kind for one in asked})}
    return table(
        "BEAM 100K messages, own conversation (to beat: .478 / .575)", ask(graph, asked), groups
    )


def conversation(file: Path) -> str:
    return f"beam-{file.parent.name}"


def sessions(file: Path) -> dict[str, list[Said]]:
    """A batch of a conversation, some weeks of it, is a session."""
    name = conversation(file)
    return {
        f"{name}-{batch['batch_number']}": [
            Said(f"{name}:{message['id']}", message["role"], message["content"])
            for turn in batch["turns"]
            for message in turn
        ]
        for batch in json.loads(file.read_text(encoding="utf-8"))
    }


def questions(file: Path) -> list[Question]:
    name = conversation(file)
    probing = json.loads(
        (file.parent / "probing_questions" / "probing_questions.json").read_text(encoding="utf-8")
    )
    return [
        Question(name, one["question"], frozenset(f"{name}:{number}" for number in gold), kind)
        for kind, some in probing.items()
        if kind not in LEFT_OUT
        for one in some
        if (gold := set(_numbers(one.get("source_chat_ids"))))
    ]


def _numbers(value: Any) -> Iterator[int]:
    """Message ids, however they are grouped."""
    if isinstance(value, int):
        yield value
    elif isinstance(value, (list, dict)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _numbers(inner)
