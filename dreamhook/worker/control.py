"""A person's side of the worker's socket: status, stop, start."""

import json
import os
import socket
import time
from contextlib import suppress
from typing import Any, cast

from dreamhook import paths
from dreamhook.hook import notify

PATIENCE_S = 2.0


def status() -> dict[str, Any] | None:
    """What the worker says of itself; None when there is none."""
    return _ask("status/1")


def start(patience_s: float = 20.0) -> dict[str, Any] | None:
    """Start a worker unless one answers; returns its status, None when it did not come up in time."""
    deadline = time.monotonic() + patience_s
    while True:
        found = status()
        if found or time.monotonic() > deadline:
            return found
        if (
            not _lock_held()
        ):  # a mark without a worker is of a start that failed; a person does not wait for its end
            with suppress(FileNotFoundError):
                os.unlink(paths.state_file(paths.WORKER_STARTING))
        notify.start()
        time.sleep(0.5)


def stop(patience_s: float = 20.0) -> bool:
    """Let the worker drain and leave; whether it is gone (True also when there was none)."""
    deadline = time.monotonic() + patience_s
    while True:
        _ask("stop/1")  # again and again: one that is just starting does not hear it yet
        if not _lock_held():
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)


def _ask(verb: str) -> dict[str, Any] | None:
    try:
        here = os.getcwd()
    except FileNotFoundError:
        here = "/"  # it was removed meanwhile
    try:
        os.chdir(paths.state_dir())  # see hook/inject.py: a socket's path may be too long
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(PATIENCE_S)
            connection.connect(paths.WORKER_SOCKET)
            connection.sendall(verb.encode() + b"\n")
            return cast(dict[str, Any], json.loads(connection.makefile("rb").read()))
    except (OSError, ValueError):
        return None
    finally:
        os.chdir(here)


def _lock_held() -> bool:
    import fcntl

    try:
        handle = os.open(paths.state_file(paths.WORKER_LOCK), os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False
