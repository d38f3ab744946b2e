"""What is known on disk about the store we started: its folder, its state file and its lock."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from dreamhook import paths
from dreamhook.files import replace_file
from dreamhook.store.endpoint import Endpoint, StoreUnavailable, given, read_password

USER = "neo4j"
"""The one user of the Community edition that exists before the first login."""


@dataclass(frozen=True)
class State:
    """The last server we started. It may be gone: a pid is only believed together with its command line."""

    kind: str
    """"embedded"; "docker" where an earlier dreamhook started it in a container, on the same folder."""
    version: str
    bolt: int
    http: int
    pid: int | None = None


def home() -> Path:
    """The server's folder: conf, data, logs, password, state. Made when missing, for this user alone."""
    return Path(paths.make_private(paths.data_file(paths.NEO4J)))


def read() -> State | None:
    """The state file; None when there is none or it is damaged, for the next start writes a new one."""
    try:
        return State(**json.loads((home() / "state.json").read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def write(state: State) -> None:
    write_private(home() / "state.json", json.dumps(asdict(state)) + "\n")


def endpoint() -> Endpoint:
    """Where the store is, the user's or ours; starts nothing. Raises StoreUnavailable when there is none yet."""
    named = given()
    if named:
        return named
    state = read()
    if state is None:
        raise StoreUnavailable("the store was never started; run `dreamhook neo4j start`")
    return to_endpoint(state)


def to_endpoint(state: State) -> Endpoint:
    file = str(home() / "password")
    return Endpoint(
        kind="embedded",
        uri=f"bolt://127.0.0.1:{state.bolt}",
        user=USER,
        password=read_password(file),
        password_file=file,
        http_url=f"http://127.0.0.1:{state.http}/browser/",
    )


def stopped_on_purpose() -> bool:
    return (home() / "stopped").exists()


def mark_stopped(stopped: bool) -> None:
    if stopped:
        write_private(home() / "stopped", "")
    else:
        (home() / "stopped").unlink(missing_ok=True)


@contextmanager
def lock() -> Iterator[None]:
    """One start or stop at a time for this folder; the kernel frees the lock when its owner dies."""
    with open(home() / "lock", "w", opener=_private) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def write_private(file: Path, text: str) -> None:
    """Replace a file as a whole, mode 0600: a reader sees the old or the new, never a part."""
    replace_file(str(file), text.encode())


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)
