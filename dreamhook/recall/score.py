"""How well a memory fits a prompt, judged by what it covers and not by a raw index score.

BM25 over the permitted notes alone, with a note's best cue and the share of the prompt that it covers on top. Its
weights are shares of the most telling word there could be, so that one threshold holds from ten notes to a hundred
thousand, where a raw Lucene score has none. Constants: S. Robertson, H. Zaragoza, "The Probabilistic Relevance
Framework", 2009, and bench/recall.py on the tuning half of tests/recall_set, where all lie on a wide plateau.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from dreamhook.recall.idf import UNKNOWN, Rarity
from dreamhook.recall.note_terms import NoteTerms

ENOUGH = 2.6
"""What makes a note fit; scores are given as shares of it."""
SATURATION, LENGTH = 1.2, 0.75
"""BM25's k1 and b: how soon a further mention adds nothing, and how much a longer note needs more of them."""
LONGEST = 2.5
"""Average lengths from which on a note needs no more: what a long one is about stands in its title and description."""
BEST_CUE = 0.3
"""What a cue that is wholly said adds, as a share."""
COVERAGE = 0.35
"""Power of the covered share: a note should answer most of what was said, but people also say other things."""
NEAR, FAR, ENOUGH_WITH_MEANING = 5.0, 0.3, 3.3
"""With an embedding model: what a cosine adds above the one that unrelated texts have, and what is enough then."""
LONG = 6.0
"""Weight of a prompt's words that are in any note, from which they begin to count less: a pasted log touches every note
somewhere."""


@dataclass(frozen=True)
class Judgement:
    """`score` decides, 1 is enough; the rest explains. `covered` and `cue` are shares from 0 to 1."""

    score: float
    covered: float
    cue: float
    matched: tuple[str, ...]
    closeness: float | None = None
    """Cosine of meaning, -1 to 1; None without an embedding model."""

    @property
    def fits(self) -> bool:
        return self.score >= 1


def judge(
    asked: Mapping[str, float],
    note: NoteTerms,
    rarity: Rarity = UNKNOWN,
    closeness: float | None = None,
) -> Judgement:
    """Fit of one memory (see note_terms.taken_apart) to a prompt's terms and their weights (see Rarity.weigh).

    `closeness`: cosine of their vectors, None without a model.
    """
    hits = {term: rarity.of(term, noted=True) for term in asked if term in note.counts}
    said = sum(hits.values())
    missed = sum(weight for term, weight in asked.items() if term not in hits)
    covered = said / (said + missed) if hits else 0.0
    cue = max(
        (_said(cue, hits, rarity) for cue in note.cues if not cue.isdisjoint(hits)), default=0.0
    )
    score = _bm25(hits, note, rarity) * (1 + BEST_CUE * cue) * covered**COVERAGE
    enough = ENOUGH
    if closeness is not None:
        score += NEAR * max(0.0, closeness - FAR)
        enough = ENOUGH_WITH_MEANING
    noted = said + sum(
        weight for term, weight in asked.items() if term not in hits and rarity.knows(term)
    )
    score *= min(1.0, LONG / noted) if noted else 1.0
    return Judgement(score / enough, covered, cue, tuple(hits), closeness)


def _bm25(hits: Mapping[str, float], note: NoteTerms, rarity: Rarity) -> float:
    long = SATURATION * (1 - LENGTH + LENGTH * min(note.length / rarity.length, LONGEST))
    return sum(
        weight * note.counts[term] * (SATURATION + 1) / (note.counts[term] + long)
        for term, weight in hits.items()
    )


def _said(cue: frozenset[str], hits: Mapping[str, float], rarity: Rarity) -> float:
    said = missed = 0.0
    for term in cue:
        if term in hits:
            said += hits[term]
        else:
            missed += rarity.of(term, noted=True)
    return said / (said + missed)
