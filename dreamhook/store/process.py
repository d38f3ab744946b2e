"""Find and end a process by what it runs, never by its number alone: numbers are reused."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

HAS_PROC = Path("/proc/self/cmdline").exists()
"""Linux. Elsewhere `ps` tells the same in one line, where the end of an argument is a guess."""


def find(argument: str, hint: int | None = None) -> int | None:
    """The pid of this user's process that has `argument` on its command line; `hint` is looked at first."""
    if hint is not None and argument in _arguments(hint):
        return hint
    return next((pid for pid, arguments in _all() if argument in arguments), None)


def end(argument: str, pid: int, seconds: float) -> None:
    """Ask the process to leave, and after `seconds` kill it; returns when it is gone."""
    for number, patience in ((signal.SIGTERM, seconds), (signal.SIGKILL, 10.0)):
        if argument not in _arguments(pid):
            return
        os.kill(pid, number)
        deadline = time.monotonic() + patience
        while argument in _arguments(pid) and time.monotonic() < deadline:
            time.sleep(0.05)


def _arguments(pid: int) -> list[str]:
    """Empty for a process that is gone, a zombie or another user's."""
    if not HAS_PROC:
        return _split(_ps("-p", str(pid), "-o", "command=").strip())
    try:
        folder = Path(f"/proc/{pid}")
        if folder.stat().st_uid != os.geteuid():
            return []
        return (folder / "cmdline").read_bytes().decode(errors="surrogateescape").split("\0")
    except OSError:
        return []


def _all() -> Iterator[tuple[int, list[str]]]:
    if HAS_PROC:
        yield from (
            (int(name), _arguments(int(name))) for name in os.listdir("/proc") if name.isdigit()
        )
        return
    for line in _ps("-U", str(os.geteuid()), "-o", "pid=,command=").splitlines():
        pid, _, command = line.strip().partition(" ")
        yield int(pid), _split(command)


def _split(command: str) -> list[str]:
    """Arguments that begin with @, which is all we look for; the last one may hold spaces."""
    return ["@" + part for part in command.split(" @")[1:]]


def _ps(*options: str) -> str:
    return subprocess.run(
        ["ps", "-ww", *options], capture_output=True, text=True, timeout=10, check=False
    ).stdout
