"""How rare a term is among the notes that may be seen: a word in every tenth note decides nothing.

Counted over a bounded sample of the notes, kept in the worker, and counted again when it has grown old: the figure
only weighs terms against each other, so it may lag behind the store.
"""

import logging
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from dreamhook.recall.scopes import Scopes
from dreamhook.recall.terms import terms

log = logging.getLogger("dreamhook")
SAMPLE = 1_000
"""Notes counted."""
FRESH_S = 600.0
KEPT = 64
"""Scopes whose counts are kept at once."""


@dataclass(frozen=True)
class Rarity:
    """`seen`: notes of the sample that hold a term, among `sample`, of `notes` in all."""

    notes: int = 0
    sample: int = 0
    seen: dict[str, int] = field(default_factory=dict)

    def factor(self, term: str) -> float:
        """From 1 (in no or one note) down; how far down grows with the store, as small ones say little."""
        if self.sample < 5 or term not in self.seen:
            return 1.0
        notes = max(self.notes, self.sample)
        held = self.seen[term] * notes / self.sample
        rare = math.log((notes + 1) / (held + 0.5)) / math.log(notes + 1)
        trust = min(0.7, math.log10(notes) / 6)
        return 1 - trust * (1 - min(1.0, max(0.05, rare)))


UNKNOWN = Rarity()


def count(texts: Iterable[str], notes: int) -> Rarity:
    """Rarity from the sample's texts; `notes`: how many there are in all."""
    seen: Counter[str] = Counter()
    sample = 0
    for text in texts:
        seen.update(terms(text))
        sample += 1
    return Rarity(notes, sample, dict(seen))


class RarityCache:
    """Counts per set of scopes. `get` never waits: what is not counted yet is counted in the background."""

    def __init__(self, read: Callable[[Scopes], Rarity]) -> None:
        self._read = read
        self._kept: dict[Scopes, tuple[float, Rarity]] = {}
        self._counting: dict[Scopes, threading.Thread] = {}
        self._lock = threading.Lock()

    def get(self, scopes: Scopes) -> Rarity:
        """The last count, UNKNOWN before the first."""
        at, found = self._kept.get(scopes, (-math.inf, UNKNOWN))
        with self._lock:
            if time.monotonic() - at > FRESH_S and scopes not in self._counting:
                counter = threading.Thread(target=self._count, args=(scopes,), name="rarity", daemon=True)
                self._counting[scopes] = counter
                counter.start()
        return found

    def settle(self, patience_s: float = 2.0) -> None:
        """Wait for what is being counted."""
        for counter in list(self._counting.values()):
            counter.join(patience_s)

    def _count(self, scopes: Scopes) -> None:
        try:
            found = self._read(scopes)
            with self._lock:
                while len(self._kept) >= KEPT:
                    self._kept.pop(next(iter(self._kept)))
                self._kept[scopes] = (time.monotonic(), found)
        except Exception as error:  # a thread's edge: prompts are then judged without it
            log.warning("recall: terms not counted: %s", type(error).__name__)
        finally:
            with self._lock:
                self._counting.pop(scopes, None)
