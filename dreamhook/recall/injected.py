"""What each conversation has been given, so that nothing is given twice: kept here at once, in the store soon after.

The store's copy is what a later worker goes by and what a person can look at: (:Session)-[:INJECTED]->(:Memory).
It is written when the answer is on its way, never before.
"""

import logging
import queue
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from cypher import mapped
from dreamhook.recall.notes import Memory
from dreamhook.recall.search import Conversation
from dreamhook.store.query import Store
from dreamhook.times import now

log = logging.getLogger("dreamhook")
KEPT = 500
"""Conversations remembered without asking the store."""


Tells = Literal["state", "notes", "nothing"]
"""What an answer tells: how all notes stand now (a whole start, or what changed since), some notes, or nothing, where
only what was forgotten or inherited is noted."""


@dataclass(frozen=True)
class Given:
    """One answer: these notes, in this turn."""

    conversation: Conversation
    memories: Sequence[Memory] = ()
    turn_id: str = ""
    forget: bool = False
    """What was given before no longer stands in the conversation."""
    parent: Conversation | None = None
    """What was given there stands here too: the conversation was forked from it."""
    told: Tells = "notes"
    at: str = ""
    """When the store was asked, ISO 8601 with microseconds: what changed after it is still to be told."""


@dataclass
class Known:
    """What this worker knows of one conversation."""

    versions: dict[tuple[str, str], int] = field(default_factory=dict)
    """(scope, path) → the version given."""
    forgot: bool = False


@dataclass
class Ledger:
    """`store` gives the open store, or None while it is away."""

    store: Callable[[], Store | None]
    _known: OrderedDict[Conversation, Known] = field(default_factory=OrderedDict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _waiting: "queue.SimpleQueue[Given | threading.Event]" = field(
        default_factory=queue.SimpleQueue
    )
    _writer: threading.Thread | None = None

    def note(self, given: Given) -> None:
        """Keep it; returns at once."""
        with self._lock:
            parent = self._known.get(given.parent) if given.parent else None
            known = self._known.setdefault(given.conversation, Known())
            known.forgot |= given.forget
            earlier = {} if given.forget else (parent.versions if parent else {}) | known.versions
            known.versions = earlier | {
                (one.scope, one.path): one.version for one in given.memories
            }
            self._known.move_to_end(given.conversation)
            while len(self._known) > KEPT:
                self._known.popitem(last=False)
            if self._writer is None:
                self._writer = threading.Thread(target=self._write_all, name="ledger", daemon=True)
                self._writer.start()
        self._waiting.put(given)

    def knows(self, conversation: Conversation) -> bool:
        """Whether this worker has answered the conversation before."""
        return conversation in self._known

    def has(self, conversation: Conversation, memory: Memory) -> bool:
        """Whether this version was given in this conversation, as far as this worker or the store's row knows.

        Where this worker saw the conversation forget, the row may not tell of it yet; what was given since is known.
        """
        known = self._known.get(conversation)
        if known is None:
            return memory.given
        return known.versions.get((memory.scope, memory.path)) == memory.version or (
            memory.given and not known.forgot
        )

    def settle(self, patience_s: float = 2.0) -> bool:
        """Wait until all that was noted is in the store, or could not be; whether it was in time."""
        if self._writer is None:
            return True
        done = threading.Event()
        self._waiting.put(done)
        return done.wait(patience_s)

    def _write_all(self) -> None:
        while True:
            item = self._waiting.get()
            if isinstance(item, threading.Event):
                item.set()
                continue
            try:
                self._write(item)
            except Exception as error:  # a thread's edge: what is lost is a repetition avoided
                log.warning("recall: not noted what was given: %s", type(error).__name__)

    def _write(self, given: Given) -> None:
        store = self.store()
        if store is None:
            return
        if given.parent:
            self._inherit(store, given.conversation, given.parent.session_id)
        if given.told == "nothing" and not given.forget:
            return
        memories = [
            {"scope": one.scope, "path": one.path, "version": one.version} for one in given.memories
        ]
        parameters: dict[str, Any] = {
            "client": given.conversation.client,
            "session_id": given.conversation.session_id,
            "at": given.at or now(),
            "turn_id": given.turn_id or None,
            "forget": given.forget,
            "told": given.told,
            "memories": memories,
        }
        store.transaction(lambda tx: tx.run(mapped("recall_told"), p=parameters).consume())

    def _inherit(self, store: Store, fork: Conversation, parent: str) -> None:
        parameters = {
            "client": fork.client,
            "session_id": fork.session_id,
            "parent": parent,
            "at": now(),
        }
        store.transaction(lambda tx: tx.run(mapped("recall_inherit"), p=parameters).consume())


@dataclass(frozen=True)
class Standing:
    """Where a conversation stands: was it ever told anything, and was it compacted since."""

    told: bool
    compacted: bool


def standing(store: Store, conversation: Conversation) -> Standing:
    """From the store, for harnesses whose start may be lost and whose compaction has no start of its own."""
    rows = store.ask(
        "recall_standing", {"client": conversation.client, "session_id": conversation.session_id}
    )
    return Standing(bool(rows and rows[0]["told"]), bool(rows and rows[0]["compacted"]))
