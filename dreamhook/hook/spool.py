"""The durable queue's writing end: one file per event, in the manner of a maildir.

tmp/ → write → fsync → rename to new/ → fsync of new/: measured to lose nothing that was acknowledged, over kill -9,
power cut and full disk. A file is one header line and then the payload:

    dreamhook/1 <client> <time_ns> <length>\\n<payload bytes>

Its name begins with the time, so that a sorted listing is capture order.
"""

import os
import time

from dreamhook import paths

MAX_BYTES = 64 << 20
"""A payload beyond this is cut; its header still tells the whole length, so the reader knows it for damaged."""


def put(payload: bytes, client: str) -> str:
    """Keep one payload; returns its file. Raises OSError when no folder at all takes it."""
    now = time.time_ns()
    name = f"{now:020d}-{os.getpid()}"
    header = f"dreamhook/1 {client or '-'} {now} {len(payload)}\n".encode()
    data = header + payload[:MAX_BYTES]
    failure: OSError | None = None
    for spool in folders():
        try:
            return _write(spool, name, data)
        except FileNotFoundError:
            try:
                make(spool)
                return _write(spool, name, data)
            except OSError as error:
                failure = failure or error
        except OSError as error:
            failure = failure or error
    count_loss()
    raise failure or OSError("no folder for the spool")


def count_loss() -> None:
    """One byte per lost event in the first `lost` file that takes it, so that `status` can tell."""
    for spool in folders():
        try:
            handle = os.open(
                os.path.dirname(spool) + "/lost", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600
            )
            os.write(handle, b".")
            os.close(handle)
            return
        except OSError:
            continue


def folders() -> list[str]:
    """Where events may lie, in order: the state folder, then what is left when its disk is full or read-only."""
    mark = paths.state_dir().replace("/", "%")[-200:]  # two homes never share a fallback
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    fallbacks = [f"{runtime}/dreamhook"] if runtime else []
    fallbacks.append(f"/tmp/dreamhook-{os.getuid()}")
    return [paths.spool_dir(), *(f"{folder}/{mark}" for folder in fallbacks)]


def make(spool: str) -> None:
    """Create a spool for this user alone. PermissionError when somebody else made the folder first."""
    for folder in (os.path.dirname(spool), spool, spool + "/tmp", spool + "/new", spool + "/bad"):
        paths.make_private(folder)
        found = os.lstat(folder)
        if found.st_uid != os.getuid() or found.st_mode & 0o170000 != 0o040000:
            raise PermissionError(13, "not a folder of ours", folder)


def _write(spool: str, name: str, data: bytes) -> str:
    temporary, final = f"{spool}/tmp/{name}", f"{spool}/new/{name}"
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        try:
            view = data
            while view:
                view = view[os.write(handle, view) :]
            os.fsync(handle)
        finally:
            os.close(handle)
        os.rename(temporary, final)
    except OSError:
        os.unlink(temporary)  # never leave half an event behind, a full disk needs the room
        raise
    folder = os.open(spool + "/new", os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return final
