"""Keeps the spool within bounds: its quota, what dead writers left, what could not be uploaded for too long."""

import gzip
import os
import zlib
from contextlib import suppress
from pathlib import Path

from dreamhook import paths
from dreamhook.spool import reader, writer

ENOUGH = 0.9
"""The part of the quota under which all is kept again."""
LEFTOVER_S = 3600
"""A file in tmp/ older than this belongs to a writer that died."""
BLOCK = 4096
"""What even the smallest file takes of a disk."""


def survey(max_bytes: int, max_files: int) -> tuple[int, int]:
    """Count (files that wait, bytes on disk in all folders) and tell the hooks by spool/over how much they may keep.

    Over the quota they leave out bodies, over twice of it they count a loss: an agent must not fill a disk.
    """
    depth = size = 0
    for folder in ("new", "bad", "expired"):
        for file in reader.files(folder):
            depth += folder == "new"
            with suppress(OSError):
                size += -(-os.stat(file).st_size // BLOCK) * BLOCK
    part = max(size / max(max_bytes, 1), depth / max(max_files, 1))
    before = writer.quota_mark()
    if part >= 2 or (part > 2 * ENOUGH and before == writer.ALL_LEFT_OUT):
        _mark(writer.ALL_LEFT_OUT)
    elif part >= 1 or (part > ENOUGH and before):
        _mark(writer.BODIES_LEFT_OUT)
    else:
        with suppress(OSError):
            os.unlink(writer.quota_file())
    return depth, size


def sweep(now: float) -> None:
    """Remove what writers that died have left in tmp/. `now`: seconds since the epoch."""
    for file in reader.files("tmp"):
        with suppress(OSError):
            if now - file.stat().st_mtime > LEFTOVER_S:
                file.unlink()


def expire(now: float, keep_s: float) -> int:
    """Set aside, compressed, what has waited too long; how many. Only for a store that has just failed again."""
    done = 0
    for file in reader.waiting():
        with suppress(OSError):  # vanished, or the disk is full: it goes on waiting
            if now - file.stat().st_mtime > keep_s:
                _move(file, f"{file.name}.gz", "expired", gzip.compress(file.read_bytes(), mtime=0))
                done += 1
    return done


def take_back(folder: str) -> int:
    """Have everything in `expired` or `bad` wait for upload again; how many. Raises OSError when a disk is full."""
    done = 0
    for file in reader.files(folder):
        if folder == "expired":
            try:
                content = gzip.decompress(file.read_bytes())
            except (gzip.BadGzipFile, EOFError, zlib.error):
                continue
            _move(file, file.name.removesuffix(".gz"), "new", content)
        else:
            file.rename(file.parent.parent / "new" / file.name)
        done += 1
    return done


def _move(file: Path, name: str, folder: str, content: bytes) -> None:
    """Put the content under its new name, then remove the old: a crash between leaves both, and both are one event."""
    place = str(file.parent.parent)
    for needed in ("tmp", folder):
        paths.make_private(f"{place}/{needed}")
    temporary = f"{place}/tmp/{name}.{os.getpid()}"
    writer.write_synced(temporary, content)
    os.rename(temporary, f"{place}/{folder}/{name}")
    writer.sync(f"{place}/{folder}")
    file.unlink()


def _mark(level: int) -> None:
    with suppress(OSError):  # a disk that takes no mark takes no events either
        handle = os.open(writer.quota_file(), os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        os.write(handle, b"#" * level)
        os.ftruncate(handle, level)
        os.close(handle)
