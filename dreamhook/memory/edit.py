"""A person's own changes of their notes: written, removed, taken back; always a new version, the old one kept."""

from typing import Any

from dreamhook.memory import note_file, note_versions
from dreamhook.memory.note_file import InvalidMemory, Note
from dreamhook.memory.note_versions import Version
from dreamhook.store.query import Store
from dreamhook.times import now

WANTED = ("title", "description", "kind")
"""Front matter without which nobody could decide whether to open a note."""


class Refused(Exception):
    """The change is not made; the message says why, for a person."""


def checked(content: str) -> Note:
    """The note in a file that a person wrote. Raises Refused for front matter that is missing or malformed."""
    try:
        note = note_file.parse(content)
    except InvalidMemory as error:
        raise Refused(str(error)) from error
    missing = [key for key in WANTED if not getattr(note, key)]
    if missing:
        raise Refused(f"its front matter has no {', '.join(missing)}")
    if not note.body.strip():
        raise Refused("it has no text under its front matter")
    if note.extra.get(note_file.EXPIRES) and not note_file.expires(note):
        raise Refused(f"`{note_file.EXPIRES}` in its front matter is not a date like 2027-01-31")
    if note.review_by and note_file.day(note.review_by) != note.review_by:
        raise Refused("`review_by` in its front matter is not a date like 2027-01-31")
    if "\0" in content:
        raise Refused("it is no text file")
    return note


def put(
    store: Store,
    person: str,
    scope: str,
    path: str,
    content: str,
    standing: dict[str, Any] | None,
) -> int:
    """Make a person's file the present version, byte for byte; its number. `standing`: the note it was made from.

    Raises Refused, also when the note was changed meanwhile.
    """
    note = checked(content)
    if standing:
        standing = numbered(store, person, {**standing, "scope": scope, "path": path})
    version = Version(
        scope=scope,
        path=path,
        note=note,
        owner=person,
        repository=scope.removeprefix("repo:") if scope.startswith("repo:") else None,
        read_version=int(standing["version"]) if standing else 0,
        content=content,
        by_hand=True,
    )
    number = store.transaction(lambda tx: note_versions.write(tx, version, now()))
    if number is None:
        raise Refused("it was changed meanwhile; nothing was written")
    return number


def numbered(store: Store, person: str, note: dict[str, Any]) -> dict[str, Any]:
    """The stored note, with a version that another can follow. Somebody's query may have left anything there.

    Raises Refused for one that nobody can change by its place.
    """
    version, scope, path = (note.get(name) for name in ("version", "scope", "path"))
    if scope is not None and path is not None:
        if type(version) is int and version > 0:
            return note
        version = note_versions.renumber(store, scope, path, person)
        if version is not None:
            return {**note, "version": version}
    raise Refused(
        "its scope or owner in the store is damaged; correct it there (`dreamhook neo4j browse`)"
    )


def remove(store: Store, person: str, note: dict[str, Any]) -> int:
    """No longer current; all versions are kept, and a dream only proposes to write there again. Raises Refused.

    `note`: as `numbered` gives it.
    """
    marked = {**note, "status": "superseded", "edited_by_hand": True}
    return _restore(store, person, note, marked)


def undo(store: Store, person: str, note: dict[str, Any], to: int | None) -> int:
    """The text of the version before (or of version `to`) again, as a new version; its number. Raises Refused.

    `note`: as `numbered` gives it.
    """
    kept = note_versions.versions(store, note["scope"], note["path"])
    wanted = to if to is not None else note["version"] - 1
    old = next((one for one in kept if one.get("version") == wanted), None)
    if old is None:
        raise Refused(
            f"there is no version {wanted}; `dreamhook memory history {note['path']}` names them all"
        )
    return _restore(store, person, note, old)


def _restore(store: Store, person: str, note: dict[str, Any], old: dict[str, Any]) -> int:
    number = store.transaction(
        lambda tx: note_versions.restore(
            tx, note["scope"], note["path"], person, old, note["version"], now()
        )
    )
    if number is None:
        raise Refused("it was changed meanwhile; nothing was written")
    return int(number)
