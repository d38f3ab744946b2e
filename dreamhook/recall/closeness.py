"""How close notes are to a prompt in meaning, from an embedding model; the vectors of notes are kept between runs."""

import hashlib
import logging
import queue
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from typing import Any

from dreamhook.memory.note_file import body
from dreamhook.recall import vectors
from dreamhook.recall.embedding import DIMENSIONS, NAME, Embedder, Unusable
from dreamhook.recall.notes import Memory

log = logging.getLogger("dreamhook")
CUES, PARAGRAPHS, PARAGRAPH = 16, 8, 600
"""Of a note: so many cues and paragraphs, of each so many characters."""
PROMPT = 1_500
"""Characters; more than the model takes in."""
PATIENCE_S = 2.0
IN_MEMORY = 2_000
"""Notes; each takes about 25 kB, and half of that in the file."""


class Closeness:
    """`of` never waits for a note's vectors: what is not known yet is computed behind, once for each text of a note."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        """Without an embedder it is loaded behind, too."""
        self._embedder = embedder
        self._known: OrderedDict[bytes, Any] = OrderedDict()
        self._wanted: queue.Queue[Memory | None] = queue.Queue(IN_MEMORY)
        self._lock = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="closeness", daemon=True)
        self._thread.start()

    def of(
        self, prompt: str, memories: Sequence[Memory], *, wait: bool = False
    ) -> list[float | None]:
        """Cosine of the prompt and the nearest part of each note; None: not known yet. `wait` for all."""
        if wait:
            self.prepare(memories)
            self.settle()
        embedder = self._embedder
        if embedder is None:
            return [None] * len(memories)
        try:
            asked = embedder.embed(prompt[:PROMPT])
        except Exception as error:  # a model's edge: the prompt is answered by its words
            log.warning("recall by meaning: no vector for a prompt: %s", type(error).__name__)
            return [None] * len(memories)
        found = [self._known_by(_key(memory)) for memory in memories]
        self.prepare(
            [memory for memory, parts in zip(memories, found, strict=True) if parts is None]
        )
        return [None if parts is None else float((parts @ asked).max()) for parts in found]

    def prepare(self, memories: Sequence[Memory]) -> None:
        """Have the vectors of these notes computed; returns at once. More than can wait are left for later."""
        for memory in memories:
            try:
                self._wanted.put_nowait(memory)
            except queue.Full:
                return

    def settle(self) -> None:
        """Wait for what is being computed."""
        self._wanted.join()

    def close(self) -> None:
        """End after the note at hand; what still waits is computed another time."""
        with suppress(queue.Empty):
            while True:
                self._wanted.get_nowait()
                self._wanted.task_done()
        self._wanted.put(None)
        self._thread.join(PATIENCE_S)

    def _known_by(self, key: bytes) -> Any:
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        return None

    def _keep(self, key: bytes, parts: Any) -> None:
        with self._lock:
            self._known[key] = parts
            while len(self._known) > IN_MEMORY:
                self._known.popitem(last=False)

    def _work(self) -> None:
        try:
            self._embedder = self._embedder or Embedder()
            with closing(vectors.opened()) as file:
                for memory in self._coming():
                    try:
                        self._compute(file, self._embedder, memory)
                    except Exception as error:  # one note's edge: it is compared by its words
                        log.warning(
                            "recall by meaning: no vectors for a note: %s", type(error).__name__
                        )
        except Unusable as error:
            log.warning("recall by meaning is off: %s", error)
        except Exception as error:  # the thread's edge: recall goes on by words
            log.warning("recall by meaning is off: %s", type(error).__name__)
        self._embedder = None
        for _ in self._coming():
            pass  # nobody may wait for what will not come

    def _coming(self) -> Iterator[Memory]:
        while not self._closed:
            memory = self._wanted.get()
            try:
                if memory is None:
                    self._closed = True
                else:
                    yield memory
            finally:
                self._wanted.task_done()

    def _compute(self, file: sqlite3.Connection, embedder: Embedder, memory: Memory) -> None:
        import numpy

        key = _key(memory)
        if self._known_by(key) is not None:
            return
        kept = vectors.read(file, key)
        if kept is None:
            made = numpy.array(
                [embedder.embed(part) for part in _parts(memory)], dtype=numpy.float16
            )
            vectors.write(file, key, made.tobytes())
        else:
            made = numpy.frombuffer(kept, dtype=numpy.float16).reshape(-1, DIMENSIONS)
        self._keep(key, made.astype(numpy.float32))


def _parts(memory: Memory) -> list[str]:
    paragraphs = [
        part.strip()[:PARAGRAPH]
        for part in body(memory.content or "").split("\n\n")
        if part.strip()
    ]
    whole = f"{memory.title}. {memory.description}"
    return [memory.title, whole, *memory.cues[:CUES], *paragraphs[:PARAGRAPHS]]


def _key(memory: Memory) -> bytes:
    return hashlib.sha256("\0".join([NAME, *_parts(memory)]).encode("utf-8", "replace")).digest()
