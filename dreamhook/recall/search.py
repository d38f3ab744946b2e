"""From a prompt to the memories that fit it, or to none: the index finds, the judgement decides."""

from dataclasses import dataclass
from typing import Any

from neo4j import Driver

from cypher import statement
from dreamhook.memory import body
from dreamhook.recall.relevance import THRESHOLD, Judgement, judge
from dreamhook.recall.scopes import Scopes
from dreamhook.recall.terms import CJK, terms, words

CANDIDATES = 30
QUERY_TERMS = 60
BOOST = {"title": 3, "path_words": 2, "description": 2, "cues": 3, "content": 1}


@dataclass(frozen=True)
class Memory:
    """A memory as recall shows it. `content` is None when only its catalogue line is needed."""

    scope: str
    path: str
    title: str
    description: str
    version: int
    review_by: str | None
    evidence_notes: list[str]
    cues: list[str]
    content: str | None


@dataclass(frozen=True)
class Found:
    """A candidate with what the index and the judgement said of it."""

    memory: Memory
    lucene: float
    judgement: Judgement

    @property
    def fits(self) -> bool:
        return self.judgement.score >= THRESHOLD


def search(driver: Driver, prompt: str, scopes: Scopes, database: str | None = None) -> list[Found]:
    """All candidates, best first; those that do not fit are there too, so that `--explain` can tell."""
    telling = words(prompt)
    if not telling:
        return []
    rows = _read(
        driver,
        "recall_search",
        {
            "query": lucene_query(telling, scopes),
            "scopes": list(scopes.names),
            "owner": scopes.owner,
            "limit": CANDIDATES,
        },
        database,
    )
    found = []
    for row in rows:
        memory = from_record(row)
        judgement = judge(
            terms(prompt), memory.title, memory.path, memory.description, memory.cues, body(memory.content or "")
        )
        found.append(Found(memory, float(row["score"]), judgement))
    return sorted(found, key=lambda one: (-one.judgement.score, -one.lucene, one.memory.path))


def at_start(driver: Driver, scopes: Scopes, limit: int, database: str | None = None) -> list[Memory]:
    """Current memories of these scopes, up to `limit`; `content` only where the start block shows it whole."""
    parameters = {"scopes": list(scopes.names), "scope_keys": scopes.keys, "owner": scopes.owner, "limit": limit}
    return [from_record(row) for row in _read(driver, "recall_start", parameters, database)]


def _read(driver: Driver, name: str, parameters: dict[str, Any], database: str | None) -> list[dict[str, Any]]:
    """One auto-commit read: a single round trip, where a managed transaction takes two; a prompt is waiting."""
    with driver.session(database=database, default_access_mode="READ") as session:
        return [record.data() for record in session.run(statement(name), parameters)]


def lucene_query(telling: list[str], scopes: Scopes) -> str:
    """Scope and status required, one word in any field suffices. Words are letters and digits: nothing to escape."""
    any_word = " ".join(f'"{word}"' if CJK.search(word) else word for word in telling[:QUERY_TERMS])
    fields = " ".join(f"{field}:({any_word})^{boost}" for field, boost in BOOST.items())
    return f"+scope_key:({' '.join(scopes.keys)}) +status:current +({fields})"


def from_record(record: dict[str, Any]) -> Memory:
    """A row of recall_*.cypher; a note that lacks a property is still a note."""
    return Memory(
        scope=record["scope"],
        path=record["path"],
        title=record["title"] or record["path"],
        description=record["description"] or "",
        version=record["version"] or 0,
        review_by=str(record["review_by"]) if record["review_by"] else None,
        evidence_notes=list(record["evidence_notes"] or []),
        cues=list(record["cues"] or []),
        content=record["content"],
    )
