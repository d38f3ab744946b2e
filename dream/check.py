"""What code can know about a change before anything is written: a bad one is dropped with a reason, the others stay."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from typing import Any

from dream import request as requests
from dream.collect import Chunk
from dream.evidence import Rejected, cite, merge
from dream.known import Known, Place
from dreamhook import memory
from dreamhook.memory import InvalidMemory, Note
from dreamhook.memory_store import Version

BODY_LIMIT = 8_000
CUES = 12
BINDING = ("rule", "preference")
"""Kinds that tell an agent what to do: what a file or a tool says must never become one."""
LINE_LIMIT = 300
REVIEW_DAYS = 180
SHRINK = 0.5
"""An update keeps at least this part of a longer body; what was disproved is a `supersede`."""
SHRINK_FROM = 400
RETIRE_LIMIT = 3
"""Notes that one answer may retire."""


@dataclass(frozen=True)
class Change:
    """A checked change, ready to be stored."""

    action: str
    version: Version
    why: str
    sessions: frozenset[str]
    """Refs of the sessions whose events it cites."""
    old_content: str


def check(
    raw: dict[str, Any],
    chunk: Chunk,
    known: Known,
    standing: Mapping[Place, Mapping[str, Any]],
    *,
    today: date,
    scrub: Callable[[str], str],
) -> Change:
    """The change that `raw` asks for. `standing`: what is stored now at each (scope, path). Raises Rejected."""
    unit = chunk.unit
    action = _line(raw, "action")
    if action not in requests.ACTIONS:
        raise Rejected(f"unknown action {action!r}")
    path = path_of(raw)
    scope = memory.scope_of(path, unit.person, unit.repository)
    old = _standing(standing.get((scope, path)), raw, action, unit.person)
    if action != "create" and (scope, path) not in known.full:
        raise Rejected("the note was not shown in full, so its text would be lost")
    sources = cite(raw.get("evidence"), chunk)
    if path.startswith("profile/") and not any(source.own_words for source in sources):
        raise Rejected("profile/ needs the user's own words as evidence")
    if _line(raw, "kind") in BINDING and not any(source.own_words for source in sources):
        raise Rejected("a rule or preference needs the user's own words as evidence")
    retired = action == "supersede" and not str(raw.get("body") or "").strip()
    before = _parse(old)
    note = before if retired and before else _note(raw, today, scrub)
    own = any(source.own_words for source in sources)
    note = replace(
        note,
        author=unit.person if own else (before.author if before else "dream"),
        evidence=merge(before.evidence if before else [], sources, chunk),
        extra=before.extra if before else {},
    )
    if before and action == "update":
        _keeps_enough(before.body, note.body)
    return Change(
        action="retire" if retired else action,
        version=Version(
            scope=scope,
            path=path,
            note=note,
            owner=unit.person,
            repository=unit.repository if scope.startswith("repo:") else None,
            read_version=int(old["version"]) if old else 0,
            status="superseded" if retired else "current",
        ),
        why=_line(raw, "why"),
        sessions=frozenset(source.session for source in sources),
        old_content=str(old["content"]) if old and old["status"] == "current" else "",
    )


def path_of(raw: dict[str, Any]) -> str:
    """The path a change names, as it would be stored. Raises Rejected."""
    try:
        return memory.check_path(str(raw.get("path", "")))
    except InvalidMemory as error:
        raise Rejected(str(error)) from error


def _standing(old: Mapping[str, Any] | None, raw: dict[str, Any], action: str, person: str) -> Mapping[str, Any] | None:
    """What the change builds on: the note it read, a retired one of the same path, or nothing."""
    if old is None:
        if action != "create":
            raise Rejected("there is no such note to change")
        return None
    if old["owner"] != person:
        raise Rejected("the note at this path belongs to another person")
    if old["pinned"]:
        raise Rejected("the note is pinned")
    if action == "create":
        if old["status"] == "current":
            raise Rejected("there is a note at this path already, and it was not read")
    elif raw.get("read_version") != old["version"]:
        raise Rejected(f"the note is at version {old['version']}, the change was made for {raw.get('read_version')!r}")
    return old


def _note(raw: dict[str, Any], today: date, scrub: Callable[[str], str]) -> Note:
    cues = raw.get("cues")
    note = Note(
        title=_required(raw, "title", scrub),
        kind=_required(raw, "kind", scrub),
        description=_required(raw, "description", scrub),
        cues=_cues(cues if isinstance(cues, list) else [], scrub),
        author="",
        evidence=[],
        review_by=_review_by(raw, today),
        body=scrub(memory.clean(str(raw.get("body") or ""))).strip(),
    )
    if not note.cues:
        raise Rejected("it has no cues")
    if not note.body:
        raise Rejected("it has no text")
    if len(note.body) > BODY_LIMIT:
        raise Rejected(f"its text has {len(note.body)} characters, more than {BODY_LIMIT}")
    if note.body.startswith("---\n"):
        raise Rejected("its text begins with front matter of its own")
    if any(sentence in note.body for sentence in _own_sentences()) or re.search(r"</?data-[0-9a-f]{12}>", note.body):
        raise Rejected("it repeats the dream's own instructions")
    return note


@cache
def _own_sentences() -> list[str]:
    """Sentences of our prompts that no note has a reason to contain."""
    text = requests.prompt("system") + "\n" + requests.prompt("repair")
    parts = (part.strip(" -#*") for part in re.split(r"\n|(?<=[.:]) ", text))
    return [part for part in parts if len(part) >= 60]


def _keeps_enough(before: str, after: str) -> None:
    if len(before) >= SHRINK_FROM and len(after) < SHRINK * len(before):
        raise Rejected(f"the update would lose text ({len(before)} to {len(after)} characters) without a contradiction")


def _parse(old: Mapping[str, Any] | None) -> Note | None:
    if old is None:
        return None
    try:
        return memory.parse(str(old["content"]))
    except InvalidMemory as error:
        raise Rejected(f"the note that is there cannot be read: {error}") from error


def _cues(values: list[Any], scrub: Callable[[str], str]) -> list[str]:
    lines = (scrub(" ".join(memory.clean(str(value)).split()))[:LINE_LIMIT] for value in values)
    return list(dict.fromkeys(line for line in lines if line))[:CUES]


def _required(raw: dict[str, Any], key: str, scrub: Callable[[str], str]) -> str:
    line = scrub(_line(raw, key))
    if not line:
        raise Rejected(f"it has no {key}")
    return line


def _line(raw: dict[str, Any], key: str) -> str:
    value = raw.get(key)
    return " ".join(memory.clean(value).split())[:LINE_LIMIT] if isinstance(value, str) else ""


def _review_by(raw: dict[str, Any], today: date) -> str:
    """A date to come; one that is missing or makes no sense is no reason to lose the note."""
    try:
        asked = date.fromisoformat(_line(raw, "review_by"))
    except ValueError:
        asked = today
    sensible = today < asked <= today + timedelta(days=3 * 366)
    return (asked if sensible else today + timedelta(days=REVIEW_DAYS)).isoformat()
