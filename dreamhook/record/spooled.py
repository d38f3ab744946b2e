"""The durable queue's reading end: list, parse, delete, set aside."""

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dreamhook.hook import spool

LEFTOVER_S = 3600
"""A file in tmp/ older than this belongs to a writer that died."""


class DamagedError(Exception):
    """A file that holds no event; the message says why and quotes nothing of it."""


@dataclass(frozen=True)
class Spooled:
    """One captured payload, not yet in the store."""

    file: Path
    client: str
    time_ns: int
    payload: dict[str, Any]


def waiting() -> list[Path]:
    """All files that wait, in capture order, over all folders a hook may have used."""
    found = [file for folder in spool.folders() for file in _files(Path(folder, "new"))]
    return sorted(found, key=lambda file: file.name)


def bad() -> list[Path]:
    """Files set aside as damaged or refused by the store."""
    return [file for folder in spool.folders() for file in _files(Path(folder, "bad"))]


def lost() -> int:
    """Events that no folder took, as far as even that could be noted."""
    files = {Path(folder).parent / "lost" for folder in spool.folders()}
    return sum(file.stat().st_size for file in files if file.is_file())


def read(file: Path) -> Spooled:
    """Parse one file. DamagedError when it is no event; FileNotFoundError when another drain was faster."""
    head, _, payload = file.read_bytes().partition(b"\n")
    fields = head.decode("ascii", "replace").split(" ")
    if len(fields) != 4 or fields[0] != "dreamhook/1" or not (fields[2].isdigit() and fields[3].isdigit()):
        raise DamagedError("no header")
    if len(payload) < int(fields[3]) and len(payload) >= spool.MAX_BYTES:
        raise DamagedError(f"too large: {fields[3]} bytes")
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
    target.mkdir(mode=0o700, exist_ok=True)
    with suppress(FileNotFoundError):
        file.rename(target / file.name)


def remove(files: list[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)


def sweep(now: float) -> None:
    """Remove what writers that died have left in tmp/."""
    for folder in spool.folders():
        for file in _files(Path(folder, "tmp")):
            try:
                if now - file.stat().st_mtime > LEFTOVER_S:
                    file.unlink()
            except FileNotFoundError:
                pass


def _files(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [Path(entry.path) for entry in entries if entry.is_file(follow_symlinks=False)]
    except (FileNotFoundError, PermissionError, NotADirectoryError):
        return []
