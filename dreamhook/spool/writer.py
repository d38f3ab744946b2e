"""The durable queue's writing end: one file per event, in the manner of a maildir.

tmp/ → write → fsync → rename to new/ → fsync of new/: measured to lose nothing that was acknowledged, over kill -9,
power cut and full disk. A file is one header line and then the payload:

    dreamhook/1 <client> <time_ns> <length>\\n<payload bytes>

`time_ns` is the wall clock's. The name begins with a time that never goes back, so that a sorted listing is capture
order even over a clock that was put back. A payload shorter than its header says was cut and does not parse.
"""

import os
import time

from dreamhook import paths

LIMIT = 1 << 20
"""Bytes. A larger payload is made smaller field by field; one that is no JSON is cut here."""
HEAD = 4096
"""Bytes kept of a payload that is no JSON while the spool is over its quota."""
BODIES_LEFT_OUT, ALL_LEFT_OUT = 1, 2
"""The size in bytes of spool/over, which the worker writes when the spool exceeds its quota, and twice its quota."""


def put(payload: bytes, client: str) -> str:
    """Keep one payload; returns its file. Raises OSError when no folder at all takes it."""
    over = quota_mark()
    if over >= ALL_LEFT_OUT:
        count(paths.SPOOL_LOST)
        raise OSError(122, "the spool is over twice its quota", paths.spool_dir())
    kept, told, whole = _fitting(payload, over)
    now = time.time_ns()
    data = f"dreamhook/1 {client or '-'} {now} {told}\n".encode() + kept
    failure: OSError | None = None
    for spool in folders():
        try:
            file = _write(spool, now, data)
        except OSError as error:
            failure = failure or error
            continue
        if not whole:
            count(paths.SPOOL_REDUCED)
        return file
    count(paths.SPOOL_LOST)
    raise failure or OSError("no folder for the spool")


def quota_file() -> str:
    return f"{paths.spool_dir()}/{paths.SPOOL_OVER}"


def quota_mark() -> int:
    """How far over its quota the worker last found the spool: 0, BODIES_LEFT_OUT or ALL_LEFT_OUT."""
    try:
        return os.stat(quota_file()).st_size
    except OSError:
        return 0


def count(what: str) -> None:
    """One more `lost` or `reduced` event: a byte in the first file of that name that takes it, for `status` to tell."""
    for spool in folders():
        try:
            make(spool)
            handle = os.open(
                f"{spool}/{what}", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600
            )
            os.write(handle, b".")
            os.close(handle)
            return
        except OSError:
            continue


def folders() -> list[str]:
    """Where events may lie, in order: the state folder, then what is left when its disk is full or read-only."""
    mark = paths.state_dir().replace("/", "%")[-200:]  # two homes never share a fallback
    given, usual = os.environ.get("XDG_RUNTIME_DIR"), f"/run/user/{os.getuid()}"
    fallbacks = [f"{given}/dreamhook"] if given else []
    if given != usual and os.path.isdir(usual):  # a worker started by a timer may not be told of it
        fallbacks.append(f"{usual}/dreamhook")
    fallbacks.append(f"/tmp/dreamhook-{os.getuid()}")
    return [paths.spool_dir(), *(f"{folder}/{mark}" for folder in fallbacks)]


def make(spool: str) -> None:
    """Create a spool for this user alone. PermissionError when somebody else made the folder first."""
    for folder in (os.path.dirname(spool), spool, spool + "/tmp", spool + "/new", spool + "/bad"):
        if not os.path.isdir(folder):
            paths.make_private(folder)
            sync(
                os.path.dirname(folder)
            )  # or the first event is safe in a folder that a power cut takes away
        if not is_ours(folder):
            raise PermissionError(13, "not a folder of ours", folder)


def is_ours(folder: str) -> bool:
    """A folder of this user's; outside the state folder no link either, for in /tmp others may make it before us."""
    found = os.stat(folder) if folder.startswith(paths.state_dir()) else os.lstat(folder)
    return found.st_uid == os.getuid() and found.st_mode & 0o170000 == 0o040000


def write_synced(file: str, data: bytes) -> None:
    """A new file, all of it on the disk when this returns; none of it is left behind when it raises OSError."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        try:
            while data:
                data = data[os.write(handle, data) :]
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError:
        os.unlink(file)  # a full disk needs the room
        raise


def sync(folder: str) -> None:
    """Have a folder's entries on the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _fitting(payload: bytes, over: int) -> tuple[bytes, int, bool]:
    """What is kept of a payload, the length that the header tells, and whether that is all of it."""
    if not over and len(payload) <= LIMIT:
        return payload, len(payload), True
    from dreamhook.spool import reduce

    smaller = reduce.to_heads(payload) if over else reduce.to_size(payload, LIMIT)
    if smaller is None:
        smaller, told = payload[: HEAD if over else LIMIT], len(payload)
    else:
        told = len(smaller)
    return smaller, told, smaller == payload


def _write(spool: str, now: int, data: bytes) -> str:
    if spool != paths.spool_dir():
        make(spool)
    try:
        return _write_there(spool, now, data)
    except FileNotFoundError:
        make(spool)
        return _write_there(spool, now, data)


def _write_there(spool: str, now: int, data: bytes) -> str:
    name = f"{_unreturning(spool, now):020d}-{os.getpid()}-{os.urandom(2).hex()}"
    temporary, final = f"{spool}/tmp/{name}", f"{spool}/new/{name}"
    write_synced(temporary, data)
    try:
        os.rename(temporary, final)
    except OSError:
        os.unlink(temporary)
        raise
    sync(spool + "/new")
    return final


def _unreturning(spool: str, now: int) -> int:
    """This time, or just past the last event's when the clock was put back. The last is a file's time stamp: no
    reading, no lock; hooks that run at once have no order to lose."""
    clock = f"{spool}/{paths.SPOOL_CLOCK}"
    try:
        now = max(now, os.stat(clock).st_mtime_ns + 1)
        os.utime(clock, ns=(now, now))
    except FileNotFoundError:
        try:
            os.close(os.open(clock, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600))
            os.utime(clock, ns=(now, now))
        except OSError:
            pass  # the write itself will tell what is wrong
    except OSError:
        pass
    return now
