"""Forgetting: what a person names is gone from events, memories, their versions and the queue, and stays gone.

First the notes, then the events: an interruption leaves events that still lead to what is left to do.
"""

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from dreamhook.forget import local_files, tombstones
from dreamhook.forget.local_files import Wish
from dreamhook.memory import note_file
from dreamhook.memory.index_words import identifier_words
from dreamhook.memory.note_file import InvalidMemory, Note
from dreamhook.recall import vectors
from dreamhook.store.query import Store
from dreamhook.times import now

AT_ONCE = 1_000
"""Events of one transaction."""
LEASE_MS = 600_000
BEFORE_PATH = list("\"' =/(<>`\n")
AFTER_PATH = list("/\"'\\ ,;)|&>`\n")
"""Between such signs a path stands in a command: `a` is not in `ab`."""
WHY = "part of what this note rests on was forgotten; check it, or remove it"

Key = tuple[str, str]
"""(scope, path) of a note."""


@dataclass
class Plan:
    """What would go."""

    events: list[str] = field(default_factory=list)
    sessions: dict[tuple[str, str], int] = field(default_factory=dict)
    """(client, session id) → how many of its events go."""
    notes: list[Key] = field(default_factory=list)
    """Go whole, with all versions."""
    checked: list[Key] = field(default_factory=list)
    """Stay, without the text, or marked as due for review because a part of their evidence goes."""
    files: list[str] = field(default_factory=list)
    """Of the queue and the log: what could not be uploaded, or quotes the text."""

    def empty(self) -> bool:
        return not (self.events or self.notes or self.checked or self.files)


def plan(store: Store, person: str, wish: Wish) -> Plan:
    """What the wish comes to. Reads only; call it when the spool has been drained. Raises the driver's errors."""
    found = Plan(files=[str(file) for file in local_files.matching(wish)])
    parameters = {
        "session": wish.session,
        "repository": wish.repository,
        "path": wish.path,
        "before": BEFORE_PATH,
        "after": AFTER_PATH,
        "since": wish.since,
        "match": wish.needles() or None,
    }
    for row in store.read("forget_find", person=person, **parameters):
        found.events.append(row["event_id"])
        key = (row["client"], row["session_id"])
        found.sessions[key] = found.sessions.get(key, 0) + 1
    whole: dict[Key, bool] = {}
    for row in store.read("forget_notes", person=person, events=found.events):
        whole[row["scope"], row["path"]] = row["whole"]
    scope = f"repo:{wish.repository}" if wish.is_whole_repository() else None
    match = wish.needles() or None if wish.is_match_alone() else None
    if scope or match:
        for row in store.read("forget_notes_about", person=person, scope=scope, match=match):
            key = (row["scope"], row["path"])
            whole[key] = row["whole"] or whole.get(key, False)
    found.notes = sorted(key for key, gone in whole.items() if gone)
    found.checked = sorted(key for key, gone in whole.items() if not gone)
    return found


def carry_out(
    store: Store,
    person: str,
    wish: Wish,
    found: Plan,
    key: bytes,
    advance: Callable[[int], object] = lambda _events: None,
) -> None:
    """Do it. Call it inside `drain.turn()`. `key`: the installation's, for the hash of a forgotten text. `advance` is
    told how many more events are gone.

    A dream that is at work loses its lease, so that it cannot store what it has read. Raises the driver's errors;
    then call it again, with a new plan.
    """
    owner = f"forget-{secrets.token_hex(4)}"
    store.write("forget_lease", owner=owner, milliseconds=LEASE_MS)
    try:
        at = now()
        if wish.match and wish.is_match_alone():
            tombstone = tombstones.of(wish.match, key)
            if tombstone:
                store.write("forget_text", person=person, now=at, **tombstone)
            store.write("forget_words", person=person, match=wish.needles())
        scope = f"repo:{wish.repository}" if wish.is_whole_repository() else None
        match = wish.needles() if wish.is_match_alone() else None
        store.write(
            "forget_proposals",
            person=person,
            events=found.events,
            scope=scope,
            match=match,
        )
        places = [{"scope": scope, "path": path} for scope, path in found.notes]
        store.write("forget_note_remove", notes=places)
        for scope, path in found.checked:
            _clean(store, scope, path, set(found.events), wish)
        for start in range(0, len(found.events), AT_ONCE):
            some = found.events[start : start + AT_ONCE]
            store.write("forget_events", events=some, now=at)
            advance(len(some))
        if wish.is_whole_repository():
            store.write("forget_repository", person=person, repository=wish.repository)
        local_files.remove(wish, found.files)
        vectors.forget()
    finally:
        store.write("dream_lease_drop", owner=owner)


def session_ids(store: Store, person: str, start: str) -> list[str]:
    """Sessions whose id is, or begins with, `start`."""
    found = [row["session"] for row in store.read("forget_sessions", person=person, start=start)]
    return [start] if start in found else found


def repository_ids(store: Store, name: str) -> list[str]:
    return [row["id"] for row in store.read("forget_repositories", name=name)]


def _clean(store: Store, scope: str, path: str, gone: set[str], wish: Wish) -> None:
    """Take text and evidence out of a note that stays and out of its versions; one with no evidence left goes."""
    for row in store.read("forget_note_read", scope=scope, path=path):
        for version in row["versions"]:
            left = cleaned(version["properties"], gone, wish)
            if left is None:
                store.write("forget_version_remove", id=version["id"])
            elif left:
                store.write("forget_version_clean", id=version["id"], properties=left)
        left = cleaned(row["note"], gone, wish, current=True)
        if left:
            store.write("forget_note_clean", scope=scope, path=path, properties=left)


def cleaned(
    properties: dict[str, Any], gone: set[str], wish: Wish, current: bool = False
) -> dict[str, Any] | None:
    """The properties that change; None when all evidence of an old version is gone."""
    try:
        note = note_file.parse(str(properties["content"]))
    except (InvalidMemory, KeyError):
        left = {name: _without(value, wish) for name, value in properties.items()}
        return _changed(properties, left | {"identifier_words": None})
    kept = [
        item | {"events": [event for event in item["events"] if event not in gone]}
        for item in note.evidence
    ]
    lost = [event for item in note.evidence for event in item["events"] if event in gone]
    kept = [item for item in kept if item["events"]]
    if lost and not kept and not current:
        return None
    extra = {name: _without(value, wish) for name, value in note.extra.items()}
    after = replace(
        note,
        title=_without(note.title, wish),
        description=_without(note.description, wish),
        cues=_without(note.cues, wish),
        body=_without(note.body, wish),
        evidence=kept,
        extra=extra,
    )
    if lost and current:
        yesterday = (datetime.now(UTC).date() - timedelta(days=1)).isoformat()
        after = replace(after, review_by=yesterday, extra=extra | {"forgotten": WHY})
    return _changed(properties, _stored(after, wish)) if after != note else {}


def _stored(note: Note, wish: Wish) -> dict[str, Any]:
    stored = {
        "content": _without(note_file.serialise(note), wish),
        "title": note.title,
        "description": note.description,
        "cues": note.cues,
        "review_by": note.review_by or None,
        "evidence_notes": note_file.evidence_notes(note.evidence),
    }
    return stored | {"identifier_words": identifier_words(stored)}


def _changed(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in after.items() if before.get(name) != value}


def _without(value: Any, wish: Wish) -> Any:
    """The value with the text to forget replaced, when it is a text or a list."""
    needles = wish.needles() if wish.is_match_alone() else []
    if isinstance(value, list):
        return [_without(one, wish) for one in value]
    if not isinstance(value, str) or not needles:
        return value
    return re.sub(
        "|".join(re.escape(needle) for needle in needles),
        tombstones.MARK,
        value,
        flags=re.IGNORECASE,
    )
