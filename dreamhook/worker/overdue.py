"""The safety net under the schedule: starts a dream when none was tried for too long, whatever timers there are."""

import os
import subprocess
import sys
import time
from pathlib import Path

from dreamhook import paths
from dreamhook.config import Config

_running: list[subprocess.Popen[bytes]] = []


def start_dream_if_due(settings: Config) -> None:
    """At most one try per `every_hours`. `dream --scheduled` itself finds out whether there is anything to do."""
    for dream in _running:
        dream.poll()  # so that a finished one does not stay a zombie
    mark = Path(paths.state_dir(), "dream.tried")
    now = time.time()
    try:
        if 0 <= now - mark.stat().st_mtime < settings.dream_hours * 3600:
            return
    except FileNotFoundError:
        mark.touch(mode=0o600)  # a new installation has nothing to dream of yet
        return
    mark.touch()
    log = os.open(os.path.dirname(paths.log_file()) + "/dream.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    command = [sys.executable, "-I", "-m", "dream.dream", "--scheduled"]
    _running[:] = [subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)]
    os.close(log)
