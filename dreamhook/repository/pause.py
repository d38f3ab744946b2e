"""Pause and resume, and what is switched off now: one description for every command that tells a person."""

import os
from contextlib import suppress
from pathlib import Path
from typing import TypedDict

from dreamhook import paths
from dreamhook.repository import checkouts, exclusion


class Consent(TypedDict):
    """What is not recorded or recalled at present."""

    paused: bool
    """Everything, everywhere."""
    paused_since: float | None
    """Unix time."""
    paused_repositories: list[str]
    """Ids."""
    excluded: list[str]
    """Rules of config.toml and folders of blocked and paused checkouts."""
    blocked: int
    """Checkouts."""
    new: int
    """Checkouts that nobody has approved or blocked."""
    list_readable: bool


def pause() -> None:
    """Both hooks of every harness do nothing from now on, in sessions that run already too. Raises OSError."""
    paths.make_private(paths.state_dir())
    os.close(os.open(_file(), os.O_WRONLY | os.O_CREAT, 0o600))


def resume() -> bool:
    """Whether it was paused. Raises OSError."""
    try:
        os.unlink(_file())
    except FileNotFoundError:
        return False
    return True


def pause_repository(folder: str, on: bool) -> checkouts.Place:
    """The same for all checkouts of one repository. Raises places.NotWritten, OSError, ConfigError."""
    place = checkouts.seen(folder)
    checkouts.pause(place.repository, on)
    exclusion.refresh()
    drop_packs()
    return place


def drop_packs() -> None:
    """Forget the answers kept for when the worker is away: they were made before a decision."""
    for pack in Path(paths.packs_dir()).glob("*"):
        with suppress(FileNotFoundError):
            pack.unlink()


def consent() -> Consent:
    known = checkouts.load()
    try:
        since: float | None = os.stat(_file()).st_mtime
    except FileNotFoundError:
        since = None
    states = [place.state for place in known.places.values()]
    return Consent(
        paused=since is not None,
        paused_since=since,
        paused_repositories=sorted(known.paused),
        excluded=[rule.removeprefix(exclusion.EXACT) for rule in exclusion.rules()],
        blocked=states.count("blocked"),
        new=states.count("new"),
        list_readable=known.readable,
    )


def _file() -> Path:
    return Path(paths.state_file(paths.PAUSED))
