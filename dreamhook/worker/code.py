"""Notices that the program or its settings changed under the running worker, and that the change came to rest."""

import os
import sys
import time
from typing import NoReturn

from dreamhook import paths

EVERY_S = 2.0
SETTLED_S = 4.0
"""A checkout or an upgrade in progress is left alone until nothing has changed for this long."""


class Watch:
    """Knows the program as it was when the worker started."""

    def __init__(self) -> None:
        self._started_with = self._last = fingerprint()
        self._since = self._next_look = time.monotonic()

    def changed(self) -> bool:
        """Whether other code lies there now, whole. Looks at most every EVERY_S; a look costs well under 1 ms."""
        now = time.monotonic()
        if now < self._next_look:
            return False
        self._next_look = now + EVERY_S
        found = fingerprint()
        if found != self._last:
            self._last, self._since = found, now
        return found != self._started_with and now - self._since >= SETTLED_S


def fingerprint() -> int:
    """Of every module and statement, and of config.toml: path, size and time. What vanishes meanwhile counts too."""
    seen = [("", paths.config_file(), *_size_and_time(paths.config_file()))]
    for part in ("dreamhook", "cypher"):
        for folder, _, names in os.walk(f"{paths.ROOT}/{part}"):
            for name in names:
                if name.endswith((".py", ".cypher")):
                    seen.append((folder, name, *_size_and_time(f"{folder}/{name}")))
    return hash(tuple(sorted(seen)))


def _size_and_time(file: str) -> tuple[int, int]:
    try:
        found = os.stat(file)
    except OSError:
        return -1, -1
    return found.st_size, found.st_mtime_ns


def replace() -> NoReturn:
    """Become a new worker with the code of now: same process, nothing inherited but the environment.

    When the program is gone (uninstalled) there is nothing to become.
    """
    if os.path.exists(f"{paths.ROOT}/dreamhook/worker/__main__.py"):
        os.execv(sys.executable, [sys.executable, "-I", "-m", "dreamhook.worker"])
    os._exit(0)
