"""How rare a term is among the notes that may be seen: a word in every tenth note decides nothing.

Counted over a bounded sample of the notes, kept in the worker, and counted again when it has grown old: the figure
only weighs terms against each other, so it may lag behind the store.
"""

import logging
import math
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from dreamhook import paths
from dreamhook.recall.note_terms import NoteTerms
from dreamhook.recall.scopes import Scopes
from dreamhook.recall.tokenise import weight as shape

log = logging.getLogger("dreamhook")
SAMPLE = 1_000
"""Notes counted."""
BACKGROUND = 10
"""Notes thought to be there as well, without any of the words: else a first note could not be found."""
LENGTH = 120.0
"""Terms that such a note has, about as many as what a dream writes."""
LEAST = 0.2
"""Of a term that all notes have. The rest is BM25's idf, as a share of what it is for a term of no note."""
UNHEARD = 0.3
"""A word that no note has: everyday words, and names of what was never noted. Either may stand in any prompt."""
FRESH_S = 600.0
EMPTY_FRESH_S = 10.0
"""Of a count that found no note: the first dream may be writing them."""
"""In the state folder: its time is that of the last change of notes on this machine."""
KEPT = 64
"""Scopes whose counts are kept at once."""


@dataclass(frozen=True)
class Rarity:
    """How telling each counted term is, 0 to 1; `length`: terms of a note, on average."""

    weights: Mapping[str, float] = field(default_factory=dict)
    once: float = 0.75
    """Of a term that a note has though the sample did not."""
    unheard: float = 0.75
    """Of a term of no note."""
    length: float = LENGTH

    def knows(self, term: str) -> bool:
        """Whether a note has it; before anything was counted, each may be in one."""
        return term in self.weights or not self.weights

    def weigh(self, prompt: Iterable[str]) -> dict[str, float]:
        """A prompt's terms and how much each tells."""
        return {term: self.of(term) for term in prompt}

    def of(self, term: str, *, noted: bool = False) -> float:
        """`noted`: a note is at hand that has it."""
        return shape(term) * self.weights.get(term, self.once if noted else self.unheard)


UNKNOWN = Rarity()


def count(notes: Iterable[NoteTerms], *, complete: bool = True) -> Rarity:
    """Rarity from the sample's notes; `complete`: there are no others."""
    seen: Counter[str] = Counter()
    sample, length = 0, BACKGROUND * LENGTH
    for note in notes:
        seen.update(note.counts.keys())
        sample += 1
        length += note.length
    if not sample:
        return UNKNOWN

    def tells(held: int) -> float:
        every = sample + BACKGROUND
        rare = math.log(1 + (every - held + 0.5) / (held + 0.5)) / math.log(1 + (every + 0.5) / 0.5)
        return LEAST + (1 - LEAST) * rare

    weights = {term: tells(held) for term, held in seen.items()}
    return Rarity(
        weights, tells(1), UNHEARD if complete else tells(1), length / (sample + BACKGROUND)
    )


def notes_changed() -> None:
    """Tell the worker of this machine that notes were written, so that it counts anew. Raises OSError."""
    paths.make_private(paths.state_dir())
    os.close(os.open(paths.state_file(paths.NOTES_CHANGED), os.O_WRONLY | os.O_CREAT, 0o600))
    os.utime(paths.state_file(paths.NOTES_CHANGED))


def _changed_ns() -> int:
    try:
        return os.stat(paths.state_file(paths.NOTES_CHANGED)).st_mtime_ns
    except OSError:
        return 0


class RarityCache:
    """Counts per set of scopes. `get` never waits: what is not counted yet is counted in the background."""

    def __init__(self, read: Callable[[Scopes], Rarity]) -> None:
        self._read = read
        self._kept: dict[Scopes, tuple[float, int, Rarity]] = {}
        self._counting: dict[Scopes, threading.Thread] = {}
        self._lock = threading.Lock()

    def get(self, scopes: Scopes) -> Rarity:
        """The last count, UNKNOWN before the first."""
        at, changed_ns, found = self._kept.get(scopes, (-math.inf, 0, UNKNOWN))
        with self._lock:
            fresh_s = FRESH_S if found.weights else EMPTY_FRESH_S
            old = time.monotonic() - at > fresh_s or changed_ns != _changed_ns()
            if old and scopes not in self._counting:
                counter = threading.Thread(
                    target=self._count, args=(scopes,), name="rarity", daemon=True
                )
                with suppress(RuntimeError):  # no more threads for now: the next prompt tries again
                    counter.start()
                    self._counting[scopes] = counter
        return found

    def settle(self, patience_s: float = 2.0) -> None:
        """Wait for what is being counted."""
        for counter in list(self._counting.values()):
            counter.join(patience_s)

    def _count(self, scopes: Scopes) -> None:
        changed_ns = _changed_ns()
        try:
            found = self._read(scopes)
            with self._lock:
                self._kept.pop(scopes, None)
                while len(self._kept) >= KEPT:
                    self._kept.pop(next(iter(self._kept)))
                self._kept[scopes] = (time.monotonic(), changed_ns, found)
        except Exception as error:  # a thread's edge: prompts are then judged without it
            log.warning("recall: terms not counted: %s", type(error).__name__)
        finally:
            with self._lock:
                self._counting.pop(scopes, None)
