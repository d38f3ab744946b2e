"""The durable queue's reading end: list, parse, delete, set aside."""

import heapq
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dreamhook.spool import writer


class DamagedError(Exception):
    """A file that holds no event; the message says why and quotes nothing of it."""


@dataclass(frozen=True)
class Spooled:
    """One captured payload, not yet in the store."""

    file: Path
    client: str
    time_ns: int
    payload: dict[str, Any]


_immovable: set[Path] = set()
"""Files that could be neither deleted nor set aside (a disk turned read-only). This process tries each but once."""


def waiting(count: int | None = None) -> list[Path]:
    """Files that wait, in capture order over all folders a hook may have used; the first `count` of them."""
    found = _named("new")
    first = sorted(found) if count is None else heapq.nsmallest(count + len(_immovable), found)
    listed = (Path(folder, name) for name, folder in first)
    return [file for file in listed if file not in _immovable][:count]


def anything_waits() -> bool:
    return any(file not in _immovable for file in files("new"))


def files(folder: str) -> Iterator[Path]:
    """All of `new`, `bad`, `tmp` or `expired`, over all spools, unsorted."""
    return (Path(place, name) for name, place in _named(folder))


def _named(folder: str) -> Iterator[tuple[str, str]]:
    """Name and folder of each; plain texts, for there may be a hundred thousand."""
    for place in writer.folders():
        try:
            if not writer.is_ours(place):
                continue  # what others put there is no event of ours
            within = f"{place}/{folder}"
            with os.scandir(within) as entries:
                for entry in entries:
                    if entry.is_file(follow_symlinks=False):
                        yield entry.name, within
        except (FileNotFoundError, PermissionError, NotADirectoryError):
            continue


def counted(what: str) -> int:
    """How many events were `lost` (no folder took them) or `reduced` (kept without their bodies)."""
    total = 0
    for place in writer.folders():
        try:
            total += os.stat(f"{place}/{what}").st_size
        except OSError:
            continue
    return total


def read(file: Path) -> Spooled:
    """Parse one file. DamagedError when it is no event; FileNotFoundError when another drain was faster."""
    head, _, payload = file.read_bytes().partition(b"\n")
    fields = head.decode("ascii", "replace").split(" ")
    if (
        len(fields) != 4
        or fields[0] != "dreamhook/1"
        or not (fields[2].isdecimal() and fields[3].isdecimal())
    ):
        raise DamagedError("no header")
    if len(payload) < int(fields[3]):
        raise DamagedError(f"cut: {len(payload)} of {fields[3]} bytes")
    try:
        parsed = json.loads(payload.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError) as error:
        raise DamagedError(f"not JSON: {type(error).__name__}") from error
    if not isinstance(parsed, dict):
        raise DamagedError("not a JSON object")
    return Spooled(file, fields[1], int(fields[2]), parsed)


def set_aside(file: Path) -> None:
    """Move a file to bad/, where it is kept and counted and holds nobody up."""
    target = file.parent.parent / "bad"
    try:
        target.mkdir(mode=0o700, exist_ok=True)
        file.rename(target / file.name)
    except FileNotFoundError:
        pass  # another drain was faster
    except OSError:
        _immovable.add(file)


def remove(done: list[Path]) -> None:
    """Delete what is in the store. A file that stays is only sent again, which changes nothing."""
    for file in done:
        try:
            os.unlink(file)
        except FileNotFoundError:
            continue
        except OSError:
            _immovable.add(file)
