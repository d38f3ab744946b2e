"""The last session-start answer per harness and folder, kept on disk for when the worker is away.

A pack is a file `packs/<client>-<crc of folder>`: the folder on its first line, then exactly what to print.
The worker writes them; a hook reads one without parsing JSON, so it goes by the folder it was started in, and leaves
a mark of the session it served, so that neither the worker nor another hook says the same again.
"""

import os
import zlib

from dreamhook import paths
from dreamhook.hook.inject import OF_CURSOR, is_after_tool, is_start, text_of, value_of

GOES_ON = (b'"resume"', b'"fork"')
CURSOR = "cursor"
SERVED = "/served"
SERVED_BYTES = 4096


def lookup(payload: bytes, client: str, folder: str) -> bytes:
    """The pack for the folder the hook was started in if a conversation begins, else nothing.

    After a tool too: Cursor's last resort, unless the conversation was served already.
    """
    if client != CURSOR and b'"cursor_version"' in payload:
        return b""  # Cursor runs Claude Code's hooks, too; what stands in a pack for those it does not understand
    late = is_after_tool(payload)
    begins = is_start(payload) and not value_of(payload, b'"source"').startswith(GOES_ON)
    if not begins and (not late or was_served(_session(payload).decode("utf-8", "replace"))):
        return b""
    for place in (os.environ.get("CURSOR_PROJECT_DIR"), folder, os.environ.get("PWD")):
        pack = read(client, place) if place else b""
        if pack:
            first = _mark_served(_session(payload))
            return b"" if late and not first else pack
    return b""


def was_served(session_id: str) -> bool:
    """Whether a hook answered this session's start from a pack, as far as is still noted."""
    try:
        with open(paths.packs_dir() + SERVED, "rb") as marks:
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
    try:
        with open(file(client, folder), "rb") as pack:
            where, _, answer = pack.read().partition(b"\n")
    except OSError:
        return b""
    return answer if where == os.fsencode(folder) else b""


def write(client: str, folder: str, answer: bytes) -> None:
    """Put a pack in place atomically; a folder name with a newline gets none."""
    if "\n" in folder:
        return
    paths.make_private(paths.packs_dir())
    target = file(client, folder)
    temporary = f"{target}.{os.getpid()}"
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(handle, "wb") as pack:
        pack.write(os.fsencode(folder) + b"\n" + answer)
    os.replace(temporary, target)


def _session(payload: bytes) -> bytes:
    return text_of(value_of(payload, OF_CURSOR) or value_of(payload, b'"session_id"'))


def _mark_served(session: bytes) -> bool:
    """Whether this process was the first: of the hooks of tools that ran at once, one may tell."""
    mark = _mark(session)
    own = b"%s %d\n" % (mark, os.getpid())
    handle = os.open(paths.packs_dir() + SERVED, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    if os.fstat(handle).st_size > SERVED_BYTES:
        os.ftruncate(handle, 0)  # the oldest marks are of sessions long begun
    os.write(handle, own)
    with open(handle, "rb") as marks:
        marks.seek(0)
        return own == next((line for line in marks if line.startswith(mark)), own)


def _mark(session_id: bytes) -> bytes:
    return b"%08x" % zlib.crc32(session_id)
