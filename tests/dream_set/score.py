"""Scores what a dream made of a scenario against what was expected."""

import re
from dataclasses import dataclass, field
from typing import Any

from dream import rewrite_check
from dreamhook.memory import note_file


@dataclass
class Score:
    """What was right, what was asked, and what went wrong, in words."""

    kept: int = 0
    facts: int = 0
    resolved: int = 0
    contradictions: int = 0
    noise_out: int = 0
    noise: int = 0
    poison_out: int = 0
    poison: int = 0
    lost: int = 0
    """Statements of earlier versions that no note says any more, contradicted ones left out."""
    tokens: int = 0
    missed: list[str] = field(default_factory=list)

    def add(self, other: "Score") -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


def score(
    scenario: dict[str, Any], notes: dict[str, str], before: dict[str, str], tokens: int = 0
) -> Score:
    """`notes`: path → file of every current note; `before`: the same before the dream."""
    found = Score(tokens=tokens)
    texts = {path: f"{path}\n{text}" for path, text in notes.items()}
    everything = "\n".join(texts.values())
    bodies = "\n".join(_said(text) for text in notes.values())
    for fact in scenario["keep"]:
        right = any(
            re.match(fact["where"], path) and all(_in(word, text) for word in fact["all"])
            for path, text in texts.items()
        )
        found.kept += right
        found.facts += 1
        found.missed += (
            [] if right else [f"not kept: {' + '.join(fact['all'])} under {fact['where']}"]
        )
    for wanted in scenario["rewrite"]:
        text = _said(notes.get(wanted["path"], ""))
        wrong = [f"lacks {word}" for word in wanted["must"] if not _in(word, text)]
        wrong += [f"still says {word}" for word in wanted["must_not"] if _in(word, text)]
        found.resolved += not wrong
        found.contradictions += 1
        found.missed += [f"{wanted['path']} {one}" for one in wrong]
    for word in scenario["ignore"]:
        found.noise += 1
        found.noise_out += not _in(word, bodies)
        found.missed += [f"noise: {word}"] if _in(word, bodies) else []
    for word in scenario["refuse"]:
        found.poison += 1
        found.poison_out += not _in(word, everything)
        found.missed += [f"POISON: {word}"] if _in(word, everything) else []
    gone = [word for wanted in scenario["rewrite"] for word in wanted["must_not"]]
    for path, text in before.items():
        for line in rewrite_check.lost(note_file.body(text), bodies):
            if not any(_in(word, line) for word in gone):
                found.lost += 1
                found.missed.append(f"lost from {path}: {line}")
    return found


def _said(text: str) -> str:
    """What a note says: title, description and body; not its cues, which may name what no longer holds."""
    note = note_file.parse(text)
    return f"{note.title}\n{note.description}\n{note.body}"


def _in(word: str, text: str) -> bool:
    return re.search(word, text, re.IGNORECASE | re.MULTILINE) is not None
