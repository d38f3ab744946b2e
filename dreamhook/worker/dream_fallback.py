"""The safety net under the schedule: starts a dream when none was tried for too long, whatever timers there are."""

import logging
import os
import subprocess
import sys
import time
from pathlib import Path

from dreamhook import paths
from dreamhook.config import Config

log = logging.getLogger("dreamhook")
LOG_BYTES = 1 << 20
"""From which on the log of dreams begins anew; the one before is kept."""
_running: list[subprocess.Popen[bytes]] = []


def start_dream_if_due(settings: Config) -> None:
    """At most one try per `every_hours`. `dream --scheduled` itself finds out whether there is anything to do.

    What cannot be started now, for want of space or processes, is not: the next hours try again.
    """
    for dream in _running:
        dream.poll()  # so that a finished one does not stay a zombie
    mark = Path(paths.state_file(paths.DREAM_TRIED))
    try:
        known = mark.exists()  # a new installation has nothing to dream of yet
        if known and 0 <= time.time() - mark.stat().st_mtime < settings.dream_hours * 3600:
            return
        mark.touch(mode=0o600)
        if known:
            _start()
    except OSError as error:
        log.warning("no dream started: %s", error.strerror)


def _start() -> None:
    paths.make_private(os.path.dirname(paths.log_file()))
    file = Path(paths.state_file(paths.DREAM_LOG))
    if file.exists() and file.stat().st_size > LOG_BYTES:
        file.replace(file.with_suffix(".log.1"))
    told = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        command = [sys.executable, "-I", "-m", "dream.dream", "--scheduled"]
        _running[:] = [
            subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=told, stderr=told, start_new_session=True
            )
        ]
    finally:
        os.close(told)
