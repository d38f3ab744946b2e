"""Memories in Neo4j: written as versions, read for people."""

from dataclasses import dataclass
from typing import Any

from neo4j import ManagedTransaction

from cypher import statement
from dreamhook.memory import note_file
from dreamhook.memory.index_words import identifier_words
from dreamhook.memory.note_file import Note
from dreamhook.store.query import Store


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
    content: str | None = None
    """The file as it is to be kept, byte for byte; None: as `serialise` writes the note."""
    by_hand: bool | None = None
    """Whether the person made this version themselves; None: as it was."""


def write(tx: ManagedTransaction, version: Version, at: str) -> int | None:
    """Store it and return its number; None, and nothing stored, when the note is no longer what was read.

    The version before is kept whole as a MemoryVersion: its properties are what undo needs. `at` is ISO 8601, UTC.
    """
    place: dict[str, Any] = {"scope": version.scope, "path": version.path, "owner": version.owner}
    parameters = place | {"properties": _properties(version), "at": at}
    if version.read_version:
        result = tx.run(
            statement("memory_revise"), parameters | {"read_version": version.read_version}
        )
    else:
        result = tx.run(statement("memory_create"), parameters)
    record = result.single()
    if record is None:
        return None
    links = place | {"repository": version.repository, "events": events_of(version.note)}
    tx.run(statement("memory_link"), links).consume()
    return int(record["version"])


def events_of(note: Note) -> list[str]:
    """The ids of all events that a note names as its evidence."""
    return [event for item in note.evidence for event in item["events"]]


def listing(
    store: Store,
    person: str,
    *,
    superseded: bool = False,
    limit: int = 1000,
) -> list[dict[str, Any]]:
    """A person's notes without their text, by scope and path."""
    statuses = ["current", "superseded"] if superseded else ["current"]
    rows = store.read("memory_list", person=person, statuses=statuses, limit=limit)
    return [row["memory"] for row in rows]


def find(store: Store, person: str, path: str) -> list[dict[str, Any]]:
    """A person's notes at a path with everything stored: one per repository that has it."""
    return [row["memory"] for row in store.read("memory_find", person=person, path=path)]


def renumber(store: Store, scope: str, path: str, owner: str) -> int | None:
    """The note's version, made a number where somebody made something else of it; None: no such note of theirs."""
    rows = store.write("memory_renumber", scope=scope, path=path, owner=owner)
    return int(rows[0]["version"]) if rows else None


def _properties(version: Version) -> dict[str, Any]:
    note = version.note
    by_hand = {} if version.by_hand is None else {"edited_by_hand": version.by_hand}
    properties = by_hand | {
        "content": note_file.serialise(note) if version.content is None else version.content,
        "title": note.title,
        "kind": note.kind,
        "description": note.description,
        "cues": note.cues,
        "author": note.author,
        "review_by": note.review_by or None,
        "origin": str(note.extra["origin"]) if note.extra.get("origin") else None,
        "expires": note_file.expires(note),
        "evidence_notes": note_file.evidence_notes(note.evidence),
        "status": version.status,
        "scope_key": note_file.scope_key(version.scope),
        "path_words": note_file.path_words(version.path),
    }
    return properties | {"identifier_words": identifier_words(properties)}


KEPT = (
    *(
        "content",
        "title",
        "kind",
        "description",
        "cues",
        "author",
        "review_by",
        "expires",
        "evidence_notes",
    ),
    *("status", "scope_key", "path_words", "origin", "edited_by_hand"),
)
"""Properties that a version restores; what is not among them belongs to the node."""


def versions(store: Store, scope: str, path: str) -> list[dict[str, Any]]:
    """All that is kept of a note, the present version first, each with everything stored."""
    return [row["version"] for row in store.read("memory_versions", scope=scope, path=path)]


def restore(
    tx: ManagedTransaction,
    scope: str,
    path: str,
    owner: str,
    old: dict[str, Any] | None,
    read_version: int,
    at: str,
) -> int | None:
    """Make `old`, a version of the note, the present one, byte for byte, as a new version; its number.

    None for `old`: there was no note, so it is no longer current. None is returned, and nothing stored, when the
    present version is not `read_version` or the note is another person's.
    """
    properties: dict[str, Any] = {"status": "superseded"}
    if old is not None:
        properties = {name: old.get(name) for name in KEPT}
        properties["identifier_words"] = identifier_words(properties)
    record = tx.run(
        statement("memory_revise"),
        {
            "scope": scope,
            "path": path,
            "owner": owner,
            "properties": properties,
            "at": at,
            "read_version": read_version,
        },
    ).single()
    return int(record["version"]) if record else None


def pin(store: Store, scope: str, path: str, owner: str, pinned: bool) -> bool:
    """Whether there was such a note to pin or unpin."""
    return bool(store.write("memory_pin", scope=scope, path=path, owner=owner, pinned=pinned))
