"""Which of Cursor's conversations need no question after a tool: they were told, or there is nothing to tell them.

Cursor runs a hook after each of its tools, and one answer in a conversation is all that most of them are for. What is
settled stands in a file of conversation ids, one a line; when it is emptied, each conversation asks once more.
"""

import os

from dreamhook import paths
from dreamhook.hook.inject import OF_CURSOR, is_after_tool, text_of, value_of

SETTLED = "/settled"
BYTES = 16384
CONTEXT = b'"additional_context"'
EXIT_STATUS = b'\\"exitCode\\"'
"""As it stands in `tool_output`, which is JSON inside a JSON string."""


def needless(payload: bytes) -> bool:
    """Whether a tool's result brings nothing: its conversation is settled, and no command failed."""
    status = value_of(payload, EXIT_STATUS)[:1]
    if status and status in b"-123456789":
        return False
    try:
        with open(paths.packs_dir() + SETTLED, "rb") as ids:
            return _conversation(payload) in ids.read().splitlines()
    except OSError:
        return False


def note(payload: bytes, reply: bytes) -> None:
    """Settle the conversation if this reply does: it tells something, or answers a tool with nothing for good."""
    if CONTEXT not in reply and not (reply and is_after_tool(payload)):
        return
    paths.make_private(paths.packs_dir())
    handle = os.open(paths.packs_dir() + SETTLED, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        if os.fstat(handle).st_size > BYTES:
            os.ftruncate(handle, 0)
        os.write(handle, _conversation(payload) + b"\n")
    finally:
        os.close(handle)


def _conversation(payload: bytes) -> bytes:
    return text_of(value_of(payload, OF_CURSOR))
