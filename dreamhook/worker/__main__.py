"""The resident worker: drains the spool and answers inject, until nobody has needed it for a while.

Started by a hook (dreamhook/hook/launch.py) or `dreamhook worker start`. One per home, by flock. Listens on a unix
socket only. Heavy imports wait until the lock is ours, so that a needless start costs next to nothing.
"""

import fcntl
import os
import time
from contextlib import suppress

from dreamhook import paths

HANDOVER_S = 10
"""How long a new worker waits for one that is leaving."""


def main() -> None:
    os.umask(0o077)
    os.chdir(paths.make_private(paths.state_dir()))
    lock = os.open(paths.WORKER_LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    if not _take(lock):
        return
    with suppress(
        OSError
    ):  # who it is, for a person who looks; a full disk must not keep the one away that empties it
        os.ftruncate(lock, 0)
        os.write(lock, f"{os.getpid()}\n".encode())
    from dreamhook.config import Config
    from dreamhook.spool.quota import survey

    # With the defaults, before all that can fail: a worker that never comes up must not let the spool fill the disk.
    survey(Config.spool_mb << 20, Config.spool_files)
    from dreamhook.worker.loop import run

    drop_harness_variables()
    if run():
        from dreamhook.worker.code import replace

        replace()


def drop_harness_variables() -> None:
    """An installed worker takes no orders from the harness whose hook began it: see hook/notify.py."""
    from dreamhook import harness

    if os.path.exists(paths.config_file()):
        prefixes = tuple(one.VARIABLES for one in harness.every())
        for name in [name for name in os.environ if name.startswith(prefixes)]:
            del os.environ[name]


def _take(lock: int) -> bool:
    """Whether this process is the worker now. Another that still answers its bell keeps the post."""
    deadline = time.monotonic() + HANDOVER_S
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if _bell_answered() or time.monotonic() > deadline:
                _forget_start()
                return False
            time.sleep(0.1)


def _bell_answered() -> bool:
    try:
        os.close(os.open(paths.state_file(paths.WORKER_BELL), os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


def _forget_start() -> None:
    with suppress(FileNotFoundError):
        os.unlink(paths.state_file(paths.WORKER_STARTING))


if __name__ == "__main__":
    try:
        main()
    except (
        BaseException
    ) as error:  # the program's edge; half an upgrade may lie there, and the next start finds all
        from dreamhook.hook import log

        log.line("worker", "", error)
    os._exit(0)  # a thread that still waits for the store must not keep a process that nobody needs
