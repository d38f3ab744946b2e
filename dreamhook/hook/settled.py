"""Which conversations need no question after a tool: they were told, or there is nothing to tell them.

For a harness that may lose a start, a hook runs after each of its tools, and one answer in a conversation is all that
most of them are for. What is settled stands in a file of conversation ids, one a line; when it is emptied, each
conversation asks once more.
"""

import os

from dreamhook import paths
from dreamhook.hook.consent import Options
from dreamhook.hook.payload import conversation, value_of

BYTES = 16384


def is_needless(payload: bytes, options: Options) -> bool:
    """Whether a tool's result brings nothing: its conversation is settled, and no command failed."""
    key = options["--exit-status-key"]
    # Inside a JSON text a backslash stands before each quote.
    status = value_of(payload, key + "\\")[:1] if key else b""
    if status and status in b"-123456789":
        return False
    try:
        with open(paths.state_file(paths.PACKS_SETTLED), "rb") as ids:
            return conversation(payload, options) in ids.read().splitlines()
    except OSError:
        return False


def note(payload: bytes, options: Options) -> None:
    """Settle the conversation."""
    paths.make_private(paths.packs_dir())
    handle = os.open(
        paths.state_file(paths.PACKS_SETTLED), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600
    )
    try:
        if os.fstat(handle).st_size > BYTES:
            os.ftruncate(handle, 0)
        os.write(handle, conversation(payload, options) + b"\n")
    finally:
        os.close(handle)
