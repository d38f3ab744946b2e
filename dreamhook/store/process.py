"""Find and end a process by what it runs, never by its number alone: numbers are reused."""

import os
import time
from contextlib import suppress

from psutil import Error, Process, process_iter

KILLED_S = 10.0
"""How long a killed process may take to be gone: the kernel has to free its memory."""


def find(argument: str, hint: int | None = None) -> int | None:
    """The pid of this user's process that has `argument` on its command line; `hint` is looked at first."""
    if hint is not None and _runs(hint, argument):
        return hint
    return next((found.pid for found in process_iter() if _runs(found.pid, argument)), None)


def end(argument: str, pid: int, seconds: float) -> None:
    """Ask the process to leave, and after `seconds` kill it; returns when it is gone."""
    for ask, patience in ((Process.terminate, seconds), (Process.kill, KILLED_S)):
        if not _runs(pid, argument):
            return
        with suppress(Error):
            ask(Process(pid))
        deadline = time.monotonic() + patience
        while _runs(pid, argument) and time.monotonic() < deadline:
            time.sleep(0.05)


def _runs(pid: int, argument: str) -> bool:
    """Not for a process that is gone, a zombie or another user's."""
    try:
        process = Process(pid)
        return process.uids().effective == os.geteuid() and argument in process.cmdline()
    except Error:
        return False
