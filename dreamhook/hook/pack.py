"""The last session-start answer per harness and folder, kept on disk for when the worker is away.

A pack is a file `packs/<client>-<crc of folder>`: the folder on its first line, then exactly what to print.
The worker writes them; a hook reads one without parsing JSON, so it goes by the folder it was started in.
"""

import os
import zlib

from dreamhook import paths

START_EVENTS = (b'"SessionStart"', b'"sessionStart"')


def lookup(payload: bytes, client: str, folder: str) -> bytes:
    """The pack for the folder the hook was started in if the payload is a session's start, else nothing."""
    at = payload.find(b'"hook_event_name"')
    if at < 0 or not payload[at + 17 : at + 60].lstrip(b" \t\r\n:").startswith(START_EVENTS):
        return b""
    for place in (os.environ.get("CURSOR_PROJECT_DIR"), folder, os.environ.get("PWD")):
        pack = read(client, place) if place else b""
        if pack:
            return pack
    return b""


def file(client: str, folder: str) -> str:
    return f"{paths.packs_dir()}/{client}-{zlib.crc32(os.fsencode(folder)):08x}"


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
