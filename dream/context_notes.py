"""Which existing notes the model reads: the likely ones in full, the rest as a catalogue, both bounded."""

import re
from dataclasses import dataclass
from typing import Any

from dream.chunk import Unit
from dreamhook.memory.note_file import scope_key
from dreamhook.store.query import Store

FULL = 40_000
"""Characters of notes shown in full."""
CATALOGUE = 16_000
LIKELY = 30
UNCUED = 5
"""Notes without cues that are shown for the sake of it, in one request."""
UNCUED_SIZE = 6_000
RECENT = 300
TERMS = 120
"""Lucene takes at most 1,024, and a word is one in each of the index's seven fields."""

Place = tuple[str, str]
"""(scope, path)"""


@dataclass(frozen=True)
class Known:
    """Rows with scope, path, version, title, description, content, pinned, by_hand, cues."""

    full: dict[Place, dict[str, Any]]
    catalogue: list[dict[str, Any]]


def scopes(unit: Unit) -> list[str]:
    return [f"person:{unit.person}", f"repo:{unit.repository}"]


def choose(store: Store, unit: Unit, texts: list[str]) -> Known:
    """This person's current notes of the unit's scopes; those that `texts` speak of come first."""
    keys = [scope_key(scope) for scope in scopes(unit)]
    rows: list[dict[str, Any]] = []
    words = terms(texts)
    if words:
        query = f"+scope_key:({' '.join(keys)}) +status:current +({' '.join(words)})"
        rows += [
            row["memory"]
            for row in store.read("dream_likely", query=query, person=unit.person, limit=LIKELY)
        ]
    uncued = store.read(
        "dream_uncued", scope_keys=keys, person=unit.person, limit=UNCUED, size=UNCUED_SIZE
    )
    rows += [row["memory"] for row in uncued]
    recent = store.read("dream_recent", scope_keys=keys, person=unit.person, limit=RECENT)
    rows += [row["memory"] for row in recent]
    known = Known({}, [])
    full = catalogue = 0
    first: dict[Place, dict[str, Any]] = {}
    for row in rows:
        first.setdefault((row["scope"], row["path"]), row)
    for place, row in first.items():
        if full + len(row["content"]) <= FULL:
            known.full[place] = row
            full += len(row["content"])
        elif catalogue <= CATALOGUE:
            known.catalogue.append(row)
            catalogue += len(row["path"]) + len(row["description"])
    return known


def terms(texts: list[str]) -> list[str]:
    """Distinct words for the full-text query, in order; letters and digits only, so nothing needs escaping."""
    found: dict[str, None] = {}
    clauses = 0
    for word in re.findall(r"\w{3,40}", " ".join(texts).lower()):
        if word not in found:
            clauses += (
                len(word) if max(word) >= "\u2e80" else 1
            )  # of Chinese, each sign is a word to the index
            if clauses > TERMS:
                break
            found[word] = None
    return list(found)
