"""One line in the log when a hook could not do its work: what and where, never a prompt's text."""

import os
import time

from dreamhook import paths

MAX_BYTES = 4 << 20
"""The worker rotates the log; without a worker it stops growing here."""


def line(program: str, client: str, error: BaseException) -> None:
    """Append `time program client error`; an error's own text may hold a path, never payload."""
    what = f"{type(error).__name__} {getattr(error, 'strerror', None) or ''} {getattr(error, 'filename', None) or ''}"
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    text = f"{moment} {program} {client or '-'} {what.strip()}\n"
    try:
        paths.make_private(os.path.dirname(paths.log_file()))
        handle = os.open(paths.log_file(), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        if os.fstat(handle).st_size < MAX_BYTES:
            os.write(handle, text.encode("utf-8", "replace"))
        os.close(handle)
    except OSError:
        pass  # a full disk: there is nowhere left to say it
