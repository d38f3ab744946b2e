"""From a prompt to the memories that fit it, or to none: the index finds, the judgement decides."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dreamhook.memory.note_file import body
from dreamhook.recall.idf import SAMPLE, UNKNOWN, Rarity, count
from dreamhook.recall.note_terms import BODY_CHARACTERS, NoteTerms, taken_apart
from dreamhook.recall.notes import Memory, from_record
from dreamhook.recall.query import memory_query
from dreamhook.recall.scopes import Scopes
from dreamhook.recall.score import Judgement, judge
from dreamhook.recall.tokenise import compounds, joined, terms
from dreamhook.recall.vocabulary import stem
from dreamhook.store.query import Store

CANDIDATES = 16
Closest = Callable[[str, Sequence[Memory]], Sequence[float | None]]


@dataclass(frozen=True)
class Conversation:
    """Which session asks: what it was told already is not told again."""

    client: str = ""
    session_id: str = ""


NOBODY = Conversation()


@dataclass(frozen=True)
class Found:
    """A candidate with what the index and the judgement said of it."""

    memory: Memory
    lucene: float
    judgement: Judgement


def search(
    store: Store,
    prompt: str,
    scopes: Scopes,
    *,
    conversation: Conversation = NOBODY,
    rarity: Rarity = UNKNOWN,
    closeness: Closest | None = None,
    parts: Sequence[str] = (),
) -> list[Found]:
    """All candidates, best first; those that do not fit are there too, so that `--explain` can tell. One round trip.

    `parts`: what in the prompt is a question by itself; a note is judged by what it fits best (see spoken.py).
    `closeness` asks an embedding model how near each is to the prompt (see closeness.Closeness.of).
    """
    texts = [prompt, *parts]
    query = memory_query(texts, scopes, rarity)
    if not query:
        return []
    parameters = _scoped(scopes) | {
        "query": query,
        "limit": CANDIDATES,
        "client": conversation.client,
        "session_id": conversation.session_id,
    }
    rows = store.ask("recall_search", parameters)
    memories = [from_record(row) for row in rows]
    near = (
        closeness(parts[0] if parts else prompt, memories) if closeness else [None] * len(memories)
    )
    questions = [one for text in texts if (one := asked(text, rarity))]
    found = [
        Found(memory, float(row["score"]), _best(questions, _terms_of(memory), rarity, close))
        for memory, row, close in zip(memories, rows, near, strict=True)
    ]
    return sorted(found, key=lambda one: (-one.judgement.score, -one.lucene, one.memory.path))


def at_start(store: Store, scopes: Scopes, limit: int) -> list[Memory]:
    """Current memories of these scopes, up to `limit`; `content` only where the start block shows it whole."""
    parameters = _scoped(scopes) | {"scope_keys": scopes.keys, "limit": limit}
    return [from_record(row) for row in store.ask("recall_start", parameters)]


def changed_since_told(
    store: Store,
    scopes: Scopes,
    conversation: Conversation,
    limit: int,
    *,
    served: bool = False,
) -> list[Memory]:
    """What changed since this conversation was last told how all stands; nothing when it never was.

    `served`: it was told by a pack, of which the store does not know.
    """
    parameters = _scoped(scopes) | {
        "scope_keys": scopes.keys,
        "client": conversation.client,
        "session_id": conversation.session_id,
        "served": served,
        "limit": limit,
    }
    return [from_record(row) for row in store.ask("recall_changed", parameters)]


def count_terms(store: Store, scopes: Scopes) -> Rarity:
    """How rare terms are among the notes of these scopes, from a bounded sample."""
    return count_sample(sample(store, scopes))


def sample(store: Store, scopes: Scopes) -> list[Memory]:
    """Up to SAMPLE notes of these scopes, with the beginning of their text."""
    parameters = _scoped(scopes) | {"scope_keys": scopes.keys, "sample": SAMPLE}
    return [from_record(row) for row in store.ask("recall_sample", parameters)]


def count_sample(memories: Sequence[Memory]) -> Rarity:
    return count(map(_terms_of, memories), complete=len(memories) < SAMPLE)


def _best(
    questions: Sequence[Mapping[str, float]],
    note: NoteTerms,
    rarity: Rarity,
    closeness: float | None,
) -> Judgement:
    return max(
        (judge(one, note, rarity, closeness) for one in questions), key=lambda judged: judged.score
    )


def asked(text: str, rarity: Rarity) -> dict[str, float]:
    """What a text asks, and how much each term tells. Where notes know an identifier by its joined form alone, as
    `graphql`, that stands for the parts that none has."""
    weights = rarity.weigh(terms(text))
    for compound in compounds(text) if rarity.weights else ():
        whole = stem(joined(compound))
        strange = [part for part in terms(compound) if not rarity.knows(part)]
        if strange and rarity.knows(whole):
            weights = {term: weight for term, weight in weights.items() if term not in strange}
            weights[whole] = rarity.of(whole)
    return weights


def _terms_of(memory: Memory) -> NoteTerms:
    text = body(memory.content or "")[:BODY_CHARACTERS]
    return taken_apart(memory.title, memory.path, memory.description, tuple(memory.cues), text)


def _scoped(scopes: Scopes) -> dict[str, Any]:
    return {"scopes": list(scopes.names), "owner": scopes.owner}
