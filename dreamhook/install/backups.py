"""Changes one file of somebody else: seen first, kept first, written whole or not at all."""

import difflib
import hashlib
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from dreamhook import paths
from dreamhook.install.entries import Refused


@dataclass(frozen=True)
class Change:
    """What a file holds and what it shall hold; None: there is no file."""

    file: Path
    before: bytes | None
    after: bytes | None

    @property
    def needed(self) -> bool:
        return self.before != self.after


def read(file: Path) -> bytes | None:
    """The bytes of a file or of what a link points to. Refused when it is there and cannot be read."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(f"cannot be read: {error.strerror}") from error


def digest(content: bytes | None) -> str | None:
    return None if content is None else hashlib.sha256(content).hexdigest()


def diff(change: Change) -> str:
    """The change as a unified diff that `patch` takes; carriage returns and a missing last newline as they are."""
    name = str(change.file)
    old, new = (_lines(content) for content in (change.before, change.after))
    sides = ["/dev/null" if content is None else name for content in (change.before, change.after)]
    lines = difflib.unified_diff(old, new, sides[0], sides[1])
    return "".join(
        line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines
    )


def apply(change: Change, mode: int = 0o600) -> list[str]:
    """Make the change: temporary file, fsync, rename, read again. Keeps the mode, and a link as a link.

    Returns the folders that had to be made. Refused when the file is no longer what it was when it was looked at.
    """
    target = Path(os.path.realpath(change.file))
    if read(target) != change.before:
        raise Refused("was changed by something else just now; nothing was written, run again")
    try:
        if change.after is None:
            target.unlink()
            return []
        made = _make_folders(target.parent)
        _write(target, change.after, mode)
    except OSError as error:
        raise Refused(
            f"cannot be written: {error.strerror} ({error.filename or target})"
        ) from error
    if read(target) != change.after:
        raise Refused(
            "does not read back as it was written; the copy made before is in the backups"
        )
    return made


def back_up(name: str, content: bytes) -> str:
    """Keep these bytes under the configuration folder; returns the path."""
    folder = paths.make_private(paths.config_file(paths.BACKUPS))
    stamp = time.strftime("%Y%m%dT%H%M%S")
    for number in range(1000):
        path = f"{folder}/{stamp}{f'-{number}' if number else ''}-{name}"
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(handle)
        return path
    raise Refused(f"no free name for a backup in {folder}")


def _write(target: Path, content: bytes, mode: int) -> None:
    status = target.stat() if target.exists() else None
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(handle, status.st_mode & 0o7777 if status else mode)
            if status and (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
                os.fchown(handle, status.st_uid, status.st_gid)
            os.fsync(handle)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def _make_folders(folder: Path) -> list[str]:
    """Innermost first, so that they can be removed in this order."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return [str(path) for path in missing]


def _lines(content: bytes | None) -> list[str]:
    """Cut at "\\n" alone, as patch does; splitlines() would also cut at form feeds and the like."""
    parts = (content or b"").decode("utf-8", "replace").split("\n")
    return [part + "\n" for part in parts[:-1]] + [part for part in parts[-1:] if part]
