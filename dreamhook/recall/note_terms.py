"""A memory as the terms it is judged by, so that both sides of the judgement go through the same cuts."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from dreamhook.memory.note_file import path_words
from dreamhook.recall.tokenise import compounds, joined, tokens
from dreamhook.recall.vocabulary import stem

TITLE, CUE = 2, 2
"""A word there counts as so many in the description, the path or the body."""
BODY_CHARACTERS = 8_000


@dataclass(frozen=True)
class NoteTerms:
    """How often a memory says each term, how many terms that are in all, and its cues and title, each as a set."""

    counts: Mapping[str, int]
    length: int
    cues: tuple[frozenset[str], ...]


@lru_cache(maxsize=2_048)
def taken_apart(
    title: str, path: str, description: str, cues: tuple[str, ...], body: str
) -> NoteTerms:
    """Kept, because the same notes come back prompt after prompt. `body`: its first BODY_CHARACTERS."""
    below = path_words(path.partition("/")[2])
    counts: dict[str, int] = {}
    said = [tokens(text) for text in (*cues, title)]
    times = [CUE] * len(cues) + [TITLE, 1, 1, 1]
    texts = [*said, *(tokens(text) for text in (description, below, body))]
    for found, worth in zip(texts, times, strict=True):
        for term in found:
            counts[term] = counts.get(term, 0) + worth
    length = sum(counts.values())
    for text in (*cues, title, description, body):
        for compound in compounds(text):
            counts.setdefault(stem(joined(compound)), 1)
    together = {frozenset(some) for some in said if some}
    return NoteTerms(counts, length, tuple(sorted(together, key=sorted)))
