"""Reads the payload, even from a harness that never closes its end."""

import _signal  # type: ignore[import-not-found]  # built in; `signal` brings enum, a quarter of the hook's time
import os
import time

MAX_BYTES = 64 << 20
"""What is beyond it is not read: no payload is worth the machine's memory."""
TOTAL = 5
"""Times the patience: a stdin that drips for ever is cut off then."""


class _LateError(Exception):
    pass


def _late(*_: object) -> None:
    raise _LateError


def read(patience_s: float) -> bytes:
    """All of stdin; what has come so far once nothing more came for `patience_s` seconds."""
    chunks, size, deadline = [], 0, time.monotonic() + TOTAL * patience_s
    _signal.signal(_signal.SIGALRM, _late)
    try:
        while size < MAX_BYTES and time.monotonic() < deadline:
            _signal.setitimer(_signal.ITIMER_REAL, patience_s)
            chunk = os.read(0, 1 << 20)
            if not chunk:
                break
            chunks.append(chunk)
            size += len(chunk)
    except (_LateError, OSError):
        pass  # a closed or stuck stdin: keep what is there
    _signal.setitimer(_signal.ITIMER_REAL, 0)
    return b"".join(chunks)
