"""Notices that config.toml changed, or that the program was removed. After an upgrade, install.sh stops the worker."""

import os
import sys
import time
from typing import NoReturn

from dreamhook import paths

PROGRAM = f"{paths.ROOT}/dreamhook/worker/__main__.py"
EVERY_S = 2.0
SETTLED_S = 4.0
"""A file that is being edited is left alone until nothing has changed for this long."""


class Watch:
    """Knows how both were when the worker started."""

    def __init__(self) -> None:
        self._started_with = self._last = fingerprint()
        self._since = self._next_look = time.monotonic()

    def changed(self) -> bool:
        """Whether one of them is another now, and at rest. Looks at most every EVERY_S."""
        now = time.monotonic()
        if now < self._next_look:
            return False
        self._next_look = now + EVERY_S
        found = fingerprint()
        if found != self._last:
            self._last, self._since = found, now
        return found != self._started_with and now - self._since >= SETTLED_S


def fingerprint() -> tuple[bool, int, int]:
    """Whether the program is there; of config.toml size and time of change, -1 where there is none."""
    there = os.path.exists(PROGRAM)
    try:
        found = os.stat(paths.config_file())
    except OSError:
        return there, -1, -1
    return there, found.st_size, found.st_mtime_ns


def replace() -> NoReturn:
    """Become a new worker with the code of now: same process, nothing inherited but the environment.

    When the program is gone (uninstalled) there is nothing to become.
    """
    if os.path.exists(PROGRAM):
        os.execv(sys.executable, [sys.executable, "-I", "-m", "dreamhook.worker"])
    os._exit(0)
