"""How well a memory fits a prompt, judged by what it covers and not by a raw index score.

A raw Lucene score has no threshold that holds from ten memories to a hundred thousand. This one does: the weight of
the prompt's terms that the note covers, more when they make up a whole cue, less when they are a small part of what
was said. Terms weigh by what developers say of everything (terms.weight) and by how rare they are among the
person's own notes (rarity.Rarity). Measured by bench/recall.py on tests/recall_set.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from dreamhook.recall.rarity import UNKNOWN, Rarity
from dreamhook.recall.terms import terms, weight

THRESHOLD = 0.95
FIELD_SHARE = {"cue": 1.0, "title": 1.0, "description": 0.95, "path": 0.8, "body": 0.5}
"""A term that stands only in the body tells less than one in a cue."""
CUE = 1.5
"""What a cue that is wholly said adds, in weights of a telling term."""
PROMPT_TERMS = 60
LONG = 8.0
"""Weight of a prompt from which scattered words begin to count less: a pasted log touches every note somewhere."""
BODY_CHARACTERS = 8_000
SENTENCE = re.compile(r"(?<=[.;!?。])\s+|\n+")

Unit = tuple[str, frozenset[str]]
"""A cue, a title, a description, a path or a sentence of the body: what kind, and its terms."""


@dataclass(frozen=True)
class Judgement:
    """`score` decides; the rest explains. `covered` and `cue` are shares from 0 to 1."""

    score: float
    covered: float
    cue: float
    matched: tuple[str, ...]


def judge(prompt: Sequence[str], units: Sequence[Unit], rarity: Rarity = UNKNOWN) -> Judgement:
    """Fit of one memory (see `units_of`) to a prompt's terms (see terms.terms)."""
    value = {term: weight(term) * rarity.factor(term) for term in prompt[:PROMPT_TERMS]}
    total = sum(value.values())
    got: dict[str, float] = {}
    together = cue = 0.0
    for kind, words in units:
        hit = [term for term in words if term in value]
        if not hit:
            continue
        share = FIELD_SHARE[kind]
        weighed = sum(value[term] for term in hit)
        together = max(together, share * weighed)
        for term in hit:
            got[term] = max(got.get(term, 0.0), share * value[term])
        if kind in ("cue", "title") and len(hit) > 1:
            cue = max(cue, (weighed / sum(weight(term) * rarity.factor(term) for term in words)) ** 2)
    if not got:
        return Judgement(0.0, 0.0, 0.0, ())
    everywhere = sum(got.values())
    scattered = min(1.0, LONG / total)
    evidence = together + (everywhere - together) * scattered
    covered = everywhere / total
    return Judgement((evidence + CUE * cue) * covered**0.25, covered, cue, tuple(term for term in value if term in got))


@lru_cache(maxsize=8_192)
def units_of(title: str, path: str, description: str, cues: tuple[str, ...], body: str) -> tuple[Unit, ...]:
    """A memory taken apart; kept, because the same notes come back prompt after prompt."""
    texts = [("cue", cue) for cue in cues] + [("title", title), ("description", description)]
    texts += [("path", path.partition("/")[2].removesuffix(".md"))]
    texts += [("body", sentence) for sentence in SENTENCE.split(body[:BODY_CHARACTERS])]
    return tuple((kind, found) for kind, text in texts if (found := frozenset(terms(text))))
