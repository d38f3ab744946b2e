"""The last session-start answer per harness and folder, kept on disk for when the worker is away.

A pack is a file `packs/<client>-<crc of folder>`: the folder on its first line, what it was and until when it holds on
the second, then exactly what to print. The worker writes them; a hook reads one without parsing JSON, so it goes by the
folder it was started in, and leaves a mark of the session it served, so that neither the worker nor another hook says
the same again.
"""

import os
import time
import zlib

from dreamhook import paths
from dreamhook.hook.consent import Options
from dreamhook.hook.payload import conversation, goes_on, is_after_tool, is_start

SERVED_BYTES = 4096


def lookup(payload: bytes, options: Options, folder: str) -> bytes:
    """The pack for the folder the hook was started in if a conversation begins, else nothing.

    After a tool too, for a harness that may have lost its start, unless the conversation was served already.
    """
    foreign = options["--foreign-key"]
    if foreign and f'"{foreign}"'.encode() in payload:
        return b""  # another harness does not understand what stands in a pack of this one
    late = is_after_tool(payload, options)
    begins = is_start(payload, options) and not goes_on(payload, options)
    session = conversation(payload, options)
    if not begins and (not late or was_served(session.decode("utf-8", "replace"))):
        return b""
    named = os.environ.get(options["--folder-variable"])
    for place in (named, folder, os.environ.get("PWD")):
        pack = read(options["--client"], place) if place else b""
        if pack:
            first = _mark_served(session)
            return b"" if late and not first else pack
    return b""


def was_served(session_id: str) -> bool:
    """Whether a hook answered this session's start from a pack, as far as is still noted."""
    try:
        with open(paths.state_file(paths.PACKS_SERVED), "rb") as marks:
            return any(line.startswith(_mark(session_id.encode())) for line in marks)
    except OSError:
        return False


def file(client: str, folder: str) -> str:
    return f"{paths.packs_dir()}/{client}-{zlib.crc32(os.fsencode(folder)):08x}"


def folders() -> list[str]:
    """The folders that have packs, the one written last first. Not for hooks: it reads every pack."""
    found: dict[str, float] = {}
    try:
        entries = list(os.scandir(paths.packs_dir()))
    except OSError:
        return []
    for entry in entries:
        if "-" not in entry.name or "." in entry.name:
            continue  # marks of served sessions, or a pack that is being written
        try:
            with open(entry.path, "rb") as pack:
                folder = os.fsdecode(pack.readline().rstrip(b"\n"))
            found[folder] = max(found.get(folder, 0), entry.stat().st_mtime)
        except OSError:
            continue
    return sorted(found, key=lambda folder: -found[folder])


def read(client: str, folder: str) -> bytes:
    """What to print, if the folder still is what it was when the pack was written, and the pack's time is not over."""
    try:
        with open(file(client, folder), "rb") as pack:
            where, held, answer = pack.read().split(b"\n", 2)
        until, config, stamp = held.split(b"\t", 2)
        over = until and until <= b"%04d-%02d-%02d" % time.gmtime()[:3]
        return (
            answer
            if where == os.fsencode(folder) and not over and stamp == _stamp(folder, config)
            else b""
        )
    except (OSError, ValueError):
        return b""


def write(folder: str, answers: dict[str, bytes], until: str = "", *, used: bool = True) -> None:
    """Put a folder's packs in place, by client; a folder name with a newline gets none. Raises OSError, ValueError.

    `until`: date from which they hold no more. `used`: somebody begins in the folder, which decides whose packs are
    kept; else they keep their time.
    """
    from dreamhook.files import replace_file
    from dreamhook.repository import identity  # not for hooks

    config = os.fsencode(identity.config_file(folder))
    held = b"\t".join((until.encode(), config, _stamp(folder, config)))
    if "\n" in folder or b"\n" in held or b"\t" in config:
        return
    paths.make_private(paths.packs_dir())
    for client, answer in answers.items():
        target, content = file(client, folder), b"\n".join((os.fsencode(folder), held, answer))
        try:
            with open(target, "rb") as there:
                same, time_ns = there.read() == content, os.fstat(there.fileno()).st_mtime_ns
        except FileNotFoundError:
            same, time_ns = False, None
        if not same:
            replace_file(target, content, synced=False, time_ns=None if used else time_ns)
        elif used:
            os.utime(target)


def drop(folder: str, clients: list[str]) -> None:
    for client in clients:
        try:
            os.unlink(file(client, folder))
        except FileNotFoundError:
            pass


def _stamp(folder: str, config: bytes) -> bytes:
    """What tells a checkout from another one that was put in its place: where it lies, and the remotes in git's own
    file; without remotes, when that file was written."""
    try:
        with open(config, "rb") as lines:
            urls = b"".join(line for line in lines if b"url" in line)
        urls = urls or b"%d" % os.stat(config).st_mtime_ns
    except OSError:
        urls = b"-"
    return os.fsencode(os.path.realpath(folder)) + b"\t%08x" % zlib.crc32(urls)


def _mark_served(session: bytes) -> bool:
    """Whether this process was the first: of the hooks of tools that ran at once, one may tell."""
    mark = _mark(session)
    try:
        return _is_first(mark)
    except OSError:
        return True  # a full disk: told twice is better than not at all


def _is_first(mark: bytes) -> bool:
    own = b"%s %d\n" % (mark, os.getpid())
    handle = os.open(
        paths.state_file(paths.PACKS_SERVED), os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600
    )
    if os.fstat(handle).st_size > SERVED_BYTES:
        os.ftruncate(handle, 0)  # the oldest marks are of sessions long begun
    os.write(handle, own)
    with open(handle, "rb") as marks:
        marks.seek(0)
        return own == next((line for line in marks if line.startswith(mark)), own)


def _mark(session_id: bytes) -> bytes:
    return b"%08x" % zlib.crc32(session_id)
