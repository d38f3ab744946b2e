"""LoCoMo through the product's own event search: recall of the turns that hold a question's answer."""

import json
from pathlib import Path
from typing import Any

from neo4j import Driver
from rich.progress import track
from rich.table import Table

from dreamhook.recall.events import search_events
from dreamhook.record.append import Row, Session, append

PERSON = "locomo"
ANSWERABLE = (1, 2, 3, 4)
"""Categories; 5 is adversarial: nothing answers it."""


def locomo(driver: Driver, file: Path) -> Table:
    """Every conversation a repository, every session a session, every turn an event; questions in their own one."""
    conversations = json.loads(file.read_text(encoding="utf-8"))
    for conversation in track(conversations, "recording"):
        _record(driver, conversation)
    driver.execute_query("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    shares: dict[int, list[float]] = {5: [], 10: []}
    for conversation in track(conversations, "asking"):
        for question in conversation["qa"]:
            gold = {f"{conversation['sample_id']}:{turn}" for turn in question.get("evidence", [])}
            if not gold or question.get("category") not in ANSWERABLE:
                continue
            hits = search_events(driver, question["question"], PERSON, [conversation["sample_id"]], limit=10)
            for at, share in shares.items():
                share.append(len(gold & {hit.event_id for hit in hits[:at]}) / len(gold))
    table = Table(
        "questions", "recall@5", "recall@10", title="LoCoMo turns, own conversation (plain tools: .514 / .619)"
    )
    table.add_row(str(len(shares[5])), *(f"{sum(share) / len(share):.3f}" for share in shares.values()))
    return table


def _record(driver: Driver, conversation: dict[str, Any]) -> None:
    name = conversation["sample_id"]
    for number in range(1, 100):
        turns = conversation["conversation"].get(f"session_{number}")
        if not turns:
            continue
        session = Session(
            client="claude_code", session_id=f"{name}-{number}", parent=None, cwd=None, branch=None, repository=name,
            repository_name=name, remote=None, person=PERSON, synthetic=None,
        )  # fmt: skip
        rows = []
        for place, turn in enumerate(turns):
            event_id, at = f"{name}:{turn['dia_id']}", f"2026-01-01T00:00:00.{place:06d}+00:00"
            text = f"{turn['speaker']}: {turn['text']}"
            properties = {
                "event_id": event_id, "event_name": "UserPromptSubmit", "client": "claude_code", "timestamp": at,
                "session_id": session["session_id"], "prompt": text, "person": PERSON, "repository": name,
            }  # fmt: skip
            rows.append(Row(event_name="UserPromptSubmit", timestamp=at, same=[event_id], properties=properties))
        append(driver, session, rows)
