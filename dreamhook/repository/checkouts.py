"""Which repository a checkout may count as: the person's own list of (place, claim) → repository.

What a checkout says of itself is only a claim: anybody can write my repository's address into a `.git/config`.
Every pair of a folder and its claim is noted in repositories.json, which the person alone writes (through
`dreamhook repo`). Policy `auto` takes a new pair at its word, and lists it as new; `strict` keeps it apart, without
memories, until it is approved. A blocked pair is neither recorded nor recalled.
"""

import fcntl
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal

from dreamhook import paths
from dreamhook.files import replace_file
from dreamhook.repository import identity
from dreamhook.repository.identity import Repository

State = Literal["new", "approved", "blocked"]
STATES: tuple[State, ...] = ("new", "approved", "blocked")


@dataclass(frozen=True)
class Place:
    """One noted pair."""

    place: str
    claim: str
    """A remote, `root:<commit>` or the path itself."""
    repository: str
    """Id of the repository it counts as."""
    name: str
    state: State
    since: str
    """ISO 8601 date of the first sight or the last decision."""


@dataclass(frozen=True)
class Known:
    """All pairs, and the repositories that are paused. `readable` is False when the file is damaged."""

    places: dict[tuple[str, str], Place] = field(default_factory=dict)
    paused: frozenset[str] = frozenset()
    readable: bool = True


@dataclass(frozen=True)
class Standing:
    """What a folder counts as, and what may be done there."""

    repository: Repository
    state: State
    captured: bool
    recalled: bool
    """Whether this repository's memories may be shown there."""


NOWHERE = Standing(
    Repository("unknown", "unknown", None, None), "approved", captured=True, recalled=False
)
"""An event that names no folder."""


class NotWritten(Exception):
    """repositories.json was not changed; the message says why."""


_read_once: dict[str, tuple[tuple[int, int, int], Known]] = {}


def file() -> str:
    return paths.config_file(paths.REPOSITORIES)


def load() -> Known:
    """The list as it is on disk. A damaged file gives one that is not readable, never an error: see `standing`."""
    try:
        found = os.stat(file())
    except FileNotFoundError:
        return Known()
    stamp = (found.st_mtime_ns, found.st_size, found.st_ino)
    known = _read_once.get(file())
    if known is None or known[0] != stamp:
        _read_once[file()] = known = (stamp, _parse())
    return known[1]


def standing(folder: str, policy: str, note: bool = True) -> Standing:
    """What `folder` counts as. `note`: put a pair never seen before on the list.

    With a list that cannot be read nothing is shown, and what is captured goes to an identity of its own.
    """
    found = identity.find(folder)
    known = load()
    entry = known.places.get((found.place, found.claim))
    if entry is None and known.readable and note:
        try:
            entry = _note(found)
        except (OSError, NotWritten):
            entry = None  # a full disk: it is noted the next time
    state: State = entry.state if entry else "new"
    trusted = known.readable and (state == "approved" or (state == "new" and policy != "strict"))
    counts_as = (
        replace(found, id=entry.repository if entry else found.id)
        if trusted
        else identity.apart(found)
    )
    ids = {counts_as.id, entry.repository if entry else found.id}
    open_here = state != "blocked" and not ids & known.paused
    return Standing(counts_as, state, captured=open_here, recalled=open_here and trusted)


def decide(place: Place, state: State, repository_id: str | None = None) -> Place:
    """The person's decision about a pair. Raises NotWritten, OSError."""
    decided = replace(
        place, state=state, repository=repository_id or place.repository, since=_today()
    )

    def change(known: Known) -> Known:
        return replace(known, places=known.places | {(place.place, place.claim): decided})

    _change(change)
    return decided


def pause(repository_id: str, on: bool) -> None:
    """Stop recording and recalling in all checkouts of a repository, or go on. Raises NotWritten, OSError."""
    only = frozenset({repository_id})
    _change(lambda known: replace(known, paused=known.paused | only if on else known.paused - only))


def seen(folder: str) -> Place:
    """The pair of this folder, noted if it is new. Raises NotWritten, OSError."""
    found = identity.find(folder)
    return load().places.get((found.place, found.claim)) or _note(found)


def closed(known: Known) -> list[str]:
    """The folders in which nothing is recorded: blocked and paused checkouts, with their worktrees."""
    shut = [
        one.place
        for one in known.places.values()
        if one.state == "blocked" or one.repository in known.paused
    ]
    return sorted({folder for place in shut for folder in (place, *_worktrees(place))})


def _worktrees(place: str) -> Iterator[str]:
    for git in (place + "/.git", place):
        try:
            names = os.listdir(git + "/worktrees")
        except OSError:
            continue
        for name in names:
            try:
                with open(
                    f"{git}/worktrees/{name}/gitdir", encoding="utf-8", errors="replace"
                ) as pointer:
                    yield os.path.dirname(os.path.realpath(pointer.read(4096).strip()))
            except OSError:
                continue


def _note(found: Repository) -> Place:
    new = Place(found.place, found.claim, found.id, found.name, "new", _today())

    def change(known: Known) -> Known:
        return replace(known, places={(new.place, new.claim): new} | known.places)

    return _change(change).places[new.place, new.claim]


def _change(change: Callable[[Known], Known]) -> Known:
    """Read, change and replace the file, one process at a time. A damaged file is left for the person to look at."""
    with _alone():
        known = load()
        if not known.readable:
            raise NotWritten(f"{file()} is damaged and was left as it is; correct or remove it")
        after = change(known)
        if after == known:
            return after
        text = json.dumps(
            {
                "version": 1,
                "paused": sorted(after.paused),
                "places": [asdict(one) for one in after.places.values()],
            },
            ensure_ascii=True,  # a folder's name may be no valid text
            indent=1,
        )
        replace_file(file(), text.encode("ascii") + b"\n")
        return after


@contextmanager
def _alone() -> Iterator[None]:
    paths.make_private(paths.config_dir())
    handle = os.open(paths.config_file(paths.REPOSITORIES_LOCK), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _parse() -> Known:
    try:
        with open(file(), encoding="utf-8") as stream:
            raw = json.load(stream)
        rows = [Place(**row) for row in raw["places"]]
        texts = [text for row in rows for text in asdict(row).values()] + raw["paused"]
        if raw["version"] != 1 or not all(isinstance(text, str) for text in texts):
            raise ValueError("not a list of ours")
        if any(row.state not in STATES for row in rows):
            raise ValueError("unknown state")
        return Known({(row.place, row.claim): row for row in rows}, frozenset(raw["paused"]))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return Known(readable=False)


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
