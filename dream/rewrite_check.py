"""What a new text of a note would lose, and whether a change is better shown to the person first."""

import re
from collections.abc import Iterable

from dream.provenance import stems

KEPT = 0.34
"""A statement counts as still there when this part of its words is."""
MUCH = 0.25
LONG = 400
"""A longer text of which less than MUCH is left is not merely rewritten."""
SHRINK = 0.2
"""The part of all notes that one run may take away."""
FEW = 5
"""With so few notes, one is always a large part."""


def lost(before: str, after: str) -> list[str]:
    """Statements of the old body whose words are no longer in the new one."""
    there = stems(after)
    parts = [part.strip() for part in re.split(r"\n+|(?<=[.!?])\s+|(?<=[。！？])", before)]
    return [
        part for part in parts if (words := stems(part)) and len(words & there) < KEPT * len(words)
    ]


def why_ask(action: str, before: str, after: str, others: str = "") -> str:
    """Why the person should see this rewriting first; empty: they need not. `others`: what other notes now say."""
    gone = lost(before, f"{after}\n{others}")
    if action == "update" and gone:
        return f"it would drop, without a contradiction: {gone[0][:120]!r}"
    if action == "supersede" and len(before) >= LONG and len(after) < MUCH * len(before):
        return f"little of the note would be left ({len(before)} to {len(after)} characters)"
    return ""


def too_much(notes: int, size: int, changes: Iterable[int]) -> bool:
    """Whether changes of these lengths take too much of `notes` notes of `size` characters. Negative: shorter; what
    others add does not make up for it."""
    return notes > FEW and -sum(change for change in changes if change < 0) > SHRINK * size
