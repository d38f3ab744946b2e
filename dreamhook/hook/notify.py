"""Rings the worker's bell, and starts a worker when nobody listens.

The bell is a FIFO that only a worker reads: opening it for writing without blocking fails at once when there is no
worker, and costs the hook no import. It carries no data; a lost ring costs one poll interval, never an event.
"""

import os
import sys
import time

from dreamhook import paths

START_PATIENCE_S = 20  # a start that took longer has failed; the next hook may try again

# What a hook's environment holds of a project's choosing must not tell an installed worker where to send data or
# whose key to spend (a project's settings can set variables for the harness and so for its hooks).
PRIVATE = ("NEO4J_", "ANTHROPIC_", "OPENAI_", "PYTHON")
"""The worker takes out the variables of the harnesses themselves, which a hook does not know."""


def ring() -> None:
    """Wake the worker, starting one if there is none. Never waits for it."""
    try:
        bell = os.open(paths.state_file(paths.WORKER_BELL), os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        start()
        return
    try:
        os.write(bell, b".")
    except BlockingIOError:
        pass  # it has rings enough
    finally:
        os.close(bell)


def start() -> None:
    """Start a worker that outlives this hook: own session, two forks, no open streams.

    Two forks because a harness may kill the whole process tree of a hook that timed out, and found a child of one fork
    with it; closed streams because a harness may wait for everybody who holds a hook's stdout (dreamhook/harness/).
    """
    paths.make_private(paths.state_dir())
    mark = paths.state_file(paths.WORKER_STARTING)
    try:
        if 0 <= time.time() - os.stat(mark).st_mtime < START_PATIENCE_S:
            return  # sixteen hooks at once start one worker, not sixteen
        os.unlink(mark)
    except FileNotFoundError:
        pass
    try:
        os.close(os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return
    except OSError:
        pass  # a full disk takes no mark, and needs the worker that empties it; its lock lets only one stay
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        os.setsid()
        if os.fork() == 0:
            null = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(null, stream)
            os.closerange(3, 256)
            python = paths.ROOT + "/.venv/bin/python"
            if not os.access(python, os.X_OK):
                python = sys.executable
            os.execve(python, [python, "-I", "-m", "dreamhook.worker"], environment())
    finally:
        os._exit(0)


def environment() -> dict[str, str]:
    """The worker's environment: this hook's, less what an installed worker must take from config.toml instead."""
    if not os.path.exists(paths.config_file()):
        return dict(os.environ)
    return {name: value for name, value in os.environ.items() if not name.startswith(PRIVATE)}
