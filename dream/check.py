"""What code can know about a change before anything is written: a bad one is dropped with a reason, the others stay."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from typing import Any

from dream import provenance
from dream import request as requests
from dream.chunk import Chunk
from dream.context_notes import Known, Place
from dream.evidence import Rejected, cite, merge
from dreamhook.memory import note_file
from dreamhook.memory.note_file import InvalidMemory, Note
from dreamhook.memory.note_versions import Version

BODY_LIMIT = 8_000
CUES = 12
LINE_LIMIT = 300
REVIEW_DAYS = 180


@dataclass(frozen=True)
class Rules:
    """What every change of a run is held against."""

    today: date
    scrub: Callable[[str], str]
    forgotten: Callable[[str], bool] = lambda _: False
    """Whether a text says what the person had forgotten."""
    allow_pinned: bool = False
    """Whether pinned and hand-edited notes may be rewritten, and not only be proposed to."""


@dataclass(frozen=True)
class Change:
    """A checked change, ready to be stored."""

    action: str
    """`create`, `update`, `supersede`, `retire`, `cue`, or `confirm`: more evidence for a note that stays as it is."""
    version: Version
    why: str
    sessions: frozenset[str]
    """Refs of the sessions whose events it cites."""
    old_content: str
    hold: str = ""
    """Why it is proposed to the person and not made; empty: it is made."""
    own: bool = False
    """Whether it cites the person's own words."""

    def growth(self) -> int:
        """Characters of text that current notes gain by it."""
        new = (
            0
            if self.action == "retire"
            else len(self.version.content or note_file.serialise(self.version.note))
        )
        return new - len(self.old_content)


def check(
    raw: dict[str, Any],
    chunk: Chunk,
    known: Known,
    standing: Mapping[Place, Mapping[str, Any]],
    rules: Rules,
) -> Change:
    """The change that `raw` asks for. `standing`: what is stored now at each (scope, path). Raises Rejected."""
    unit = chunk.unit
    action = _line(raw, "action")
    if action not in requests.ACTIONS:
        raise Rejected(f"unknown action {action!r}")
    path = path_of(raw)
    scope = note_file.scope_of(path, unit.person, unit.repository)
    old = _standing(standing.get((scope, path)), raw, action, unit.person)
    if action != "create" and (scope, path) not in known.full:
        raise Rejected("the note was not shown in full, so its text would be lost")
    before = _parse(old)
    place = Version(
        scope=scope,
        path=path,
        note=before or _EMPTY,
        owner=unit.person,
        repository=unit.repository if scope.startswith("repo:") else None,
        read_version=int(old["version"]) if old else 0,
    )
    old_content = str(old["content"]) if old and old["status"] == "current" else ""
    if action == "cue":
        return _cued(raw, place, old_content, rules)
    sources = cite(raw.get("evidence"), chunk)
    retired = action == "supersede" and not str(raw.get("body") or "").strip()
    note = before if retired and before else _note(raw, rules.today, rules.scrub)
    own = any(source.own_words for source in sources)
    mark = provenance.judge(
        note, path, sources, chunk.sources.values(), before if old_content else None
    )
    renewed = {provenance.ORIGIN}
    if before and (note_file.expires(before) or "9999") <= rules.today.isoformat():
        renewed.add(note_file.EXPIRES)  # what is written anew is recalled again
    extra = {
        key: value for key, value in (before.extra if before else {}).items() if key not in renewed
    }
    note = replace(
        note,
        author=unit.person if own else (before.author if before else "dream"),
        evidence=merge(before.evidence if before else [], sources, chunk),
        extra=extra | ({provenance.ORIGIN: mark} if mark else {}),
    )
    if not retired and rules.forgotten(
        "\n".join([note.title, note.description, *note.cues, note.body])
    ):
        raise Rejected("it says what you had forgotten")
    same = before is not None and action == "update" and _says_the_same(before, note)
    return Change(
        action="retire" if retired else "confirm" if same else action,
        version=replace(place, note=note, status="superseded" if retired else "current"),
        why=rules.scrub(_line(raw, "why")),
        sessions=frozenset(source.session for source in sources),
        old_content=old_content,
        hold="" if same or rules.allow_pinned else _hold(old),
        own=own,
    )


_EMPTY = Note("", "", "", [], "", [], "", "")


def _hold(old: Mapping[str, Any] | None) -> str:
    """Why what stands there is the person's to change; empty: it is not."""
    if old and old["pinned"]:
        return "the note is pinned"
    if old and old["by_hand"]:
        return (
            "you removed the note here"
            if old["status"] != "current"
            else "you wrote the note by hand"
        )
    return ""


def _says_the_same(before: Note, after: Note) -> bool:
    words = ("title", "kind", "description", "extra")
    return before.body.strip() == after.body.strip() and all(
        getattr(before, name) == getattr(after, name) for name in words
    )


def _cued(raw: dict[str, Any], place: Version, old_content: str, rules: Rules) -> Change:
    """A note that lacked cues gets them; nothing else of it changes."""
    cues = _cues(raw.get("cues"), rules.scrub)
    if place.note.cues:
        raise Rejected("the note has cues")
    if not cues:
        raise Rejected("it has no cues")
    note = replace(place.note, cues=cues)
    content = note_file.with_front_matter(old_content, note)
    if note_file.body(content) != note_file.body(old_content):
        raise Rejected("the note's text would change with its cues")
    return Change(
        action="cue",
        version=replace(place, note=note, content=content),
        why=rules.scrub(_line(raw, "why")),
        sessions=frozenset(),
        old_content=old_content,
    )


def path_of(raw: dict[str, Any]) -> str:
    """The path a change names, as it would be stored. Raises Rejected."""
    try:
        return note_file.check_path(str(raw.get("path", "")))
    except InvalidMemory as error:
        raise Rejected(str(error)) from error


def _standing(
    old: Mapping[str, Any] | None, raw: dict[str, Any], action: str, person: str
) -> Mapping[str, Any] | None:
    """What the change builds on: the note it read, a retired one of the same path, or nothing."""
    if old is None:
        if action != "create":
            raise Rejected("there is no such note to change")
        return None
    if old["owner"] != person:
        raise Rejected("the note at this path belongs to another person")
    if action == "create":
        if old["status"] == "current":
            raise Rejected("there is a note at this path already, and it was not read")
    elif raw.get("read_version") != old["version"]:
        raise Rejected(
            f"the note is at version {old['version']}, the change was made for {raw.get('read_version')!r}"
        )
    return old


def _note(raw: dict[str, Any], today: date, scrub: Callable[[str], str]) -> Note:
    note = Note(
        title=_required(raw, "title", scrub),
        kind=_required(raw, "kind", scrub),
        description=_required(raw, "description", scrub),
        cues=_cues(raw.get("cues"), scrub),
        author="",
        evidence=[],
        review_by=_review_by(raw, today),
        body=scrub(note_file.clean(str(raw.get("body") or ""))).strip(),
    )
    if not note.cues:
        raise Rejected("it has no cues")
    if not note.body:
        raise Rejected("it has no text")
    if len(note.body) > BODY_LIMIT:
        raise Rejected(f"its text has {len(note.body)} characters, more than {BODY_LIMIT}")
    if note.body.startswith("---\n"):
        raise Rejected("its text begins with front matter of its own")
    if any(sentence in note.body for sentence in _own_sentences()) or re.search(
        r"</?data-[0-9a-f]{12}>", note.body
    ):
        raise Rejected("it repeats the dream's own instructions")
    return note


@cache
def _own_sentences() -> list[str]:
    """Sentences of our prompts that no note has a reason to contain."""
    text = requests.prompt("system") + "\n" + requests.prompt("repair")
    parts = (part.strip(" -#*") for part in re.split(r"\n|(?<=[.:]) ", text))
    return [part for part in parts if len(part) >= 60]


def _parse(old: Mapping[str, Any] | None) -> Note | None:
    if old is None:
        return None
    try:
        return note_file.parse(str(old["content"]))
    except InvalidMemory as error:
        raise Rejected(f"the note that is there cannot be read: {error}") from error


def _cues(given: Any, scrub: Callable[[str], str]) -> list[str]:
    values = given if isinstance(given, list) else []
    lines = (scrub(" ".join(note_file.clean(str(value)).split()))[:LINE_LIMIT] for value in values)
    return list(dict.fromkeys(line for line in lines if line))[:CUES]


def _required(raw: dict[str, Any], key: str, scrub: Callable[[str], str]) -> str:
    line = scrub(_line(raw, key))
    if not line:
        raise Rejected(f"it has no {key}")
    return line


def _line(raw: dict[str, Any], key: str) -> str:
    value = raw.get(key)
    return " ".join(note_file.clean(value).split())[:LINE_LIMIT] if isinstance(value, str) else ""


def _review_by(raw: dict[str, Any], today: date) -> str:
    """A date to come; one that is missing or makes no sense is no reason to lose the note."""
    try:
        asked = date.fromisoformat(_line(raw, "review_by"))
    except ValueError:
        asked = today
    sensible = today < asked <= today + timedelta(days=3 * 366)
    return (asked if sensible else today + timedelta(days=REVIEW_DAYS)).isoformat()
