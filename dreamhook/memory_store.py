"""Memories in Neo4j: written as versions, read for people."""

from dataclasses import dataclass
from typing import Any

from neo4j import Driver, ManagedTransaction

from cypher import statement
from dreamhook import memory
from dreamhook.memory import Note


@dataclass(frozen=True)
class Version:
    """The next version of the note at one place."""

    scope: str
    path: str
    note: Note
    owner: str
    """Person id. Only the owner's note is ever changed."""
    repository: str | None
    """Repository id for a note about one, else None."""
    read_version: int
    """The version that was read before writing this one; 0: a new note."""
    status: str = "current"


def write(tx: ManagedTransaction, version: Version, at: str) -> int | None:
    """Store it and return its number; None, and nothing stored, when the note is no longer what was read.

    The version before is kept whole as a MemoryVersion: its properties are what undo needs. `at` is ISO 8601, UTC.
    """
    place: dict[str, Any] = {"scope": version.scope, "path": version.path, "owner": version.owner}
    parameters = place | {"properties": _properties(version), "at": at}
    if version.read_version:
        result = tx.run(statement("memory_revise"), parameters | {"read_version": version.read_version})
    else:
        result = tx.run(statement("memory_create"), parameters)
    record = result.single()
    if record is None:
        return None
    events = [event for item in version.note.evidence for event in item["events"]]
    tx.run(statement("memory_link"), place | {"repository": version.repository, "events": events}).consume()
    return int(record["version"])


def listing(
    driver: Driver, person: str, *, superseded: bool = False, limit: int = 1000, database: str | None = None
) -> list[dict[str, Any]]:
    """A person's notes without their text, by scope and path."""
    statuses = ["current", "superseded"] if superseded else ["current"]
    records, _, _ = driver.execute_query(
        statement("memory_list"), person=person, statuses=statuses, limit=limit, routing_="r", database_=database
    )
    return [record["memory"] for record in records]


def find(driver: Driver, person: str, path: str, database: str | None = None) -> list[dict[str, Any]]:
    """A person's notes at a path with everything stored: one per repository that has it."""
    records, _, _ = driver.execute_query(
        statement("memory_find"), person=person, path=path, routing_="r", database_=database
    )
    return [record["memory"] for record in records]


def _properties(version: Version) -> dict[str, Any]:
    note = version.note
    return {
        "content": memory.serialise(note),
        "title": note.title,
        "kind": note.kind,
        "description": note.description,
        "cues": note.cues,
        "author": note.author,
        "review_by": note.review_by or None,
        "evidence_notes": memory.evidence_notes(note.evidence),
        "status": version.status,
        "scope_key": memory.scope_key(version.scope),
        "path_words": memory.path_words(version.path),
    }
