"""The words inside a note's identifiers, which the index knows as one word each: `flush_ledger_queue`, `app.py`."""

import re
from collections.abc import Mapping
from typing import Any

from dreamhook.memory.note_file import body
from dreamhook.recall.note_terms import BODY_CHARACTERS
from dreamhook.recall.notes import from_record
from dreamhook.recall.tokenise import compounds, joined, words
from dreamhook.store.query import Store

APART = re.compile(r"[^\w.]+")
AT_ONCE = 500


def identifier_words(properties: Mapping[str, Any]) -> str:
    """For the index, beside a note's other properties: parts, joined forms, and letters without accents."""
    note = from_record(dict(properties))
    text = "\n".join(
        (note.title, note.description, *note.cues, body(note.content or "")[:BODY_CHARACTERS])
    )
    known = {word.strip(".") for word in APART.split(text.lower())}
    found = dict.fromkeys((*words(text), *map(joined, compounds(text))))
    return " ".join(word for word in found if word not in known)


def complete(store: Store) -> int:
    """Give them to notes that lack them, of an earlier version or from other hands; how many. Raises the driver's
    errors."""
    done = 0
    while rows := store.read("memory_unsplit", limit=AT_ONCE):
        found = [{"id": row["id"], "words": identifier_words(row["note"])} for row in rows]
        store.write("memory_split", rows=found)
        done += len(found)
    return done
