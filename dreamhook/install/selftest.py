"""Proves an installation: a made-up session goes through the registered commands and is read back from Neo4j."""

import json
import os
import secrets
import subprocess
import sys
from typing import Any, NamedTuple

from dreamhook import harness, paths
from dreamhook.install import entries, settings
from dreamhook.store.query import Store

PREFIX = "dreamhook-selftest-"  # the drain marks such sessions as synthetic: they are never dreamed
PATIENCE_S = 60


class SelfTestFailed(Exception):
    """One clear line: which step of the way did not work."""


class Seen(NamedTuple):
    """One event as it came back from the store."""

    seq: int
    name: str
    text: str


def clear(store: Store, person: str) -> None:
    """Remove this person's earlier self-tests."""
    store.write("selftest_clear", person=person, prefix=PREFIX)


def send(client: str) -> tuple[str, list[str]]:
    """Run what is registered for a harness, as the harness would; returns (session id, event names to come back).

    Raises SelfTestFailed when a command does not end as a harness expects of it.
    """
    session = f"{PREFIX}{client}-{secrets.token_hex(6)}"
    registered = settings.registered(client) or entries.fragment(client)["hooks"]
    names = []
    folder = paths.make_private(paths.state_dir())
    for payload in harness.get(client).sample(session, folder):
        event = harness.get(client).normalise(payload)["client_event"]
        commands = [
            handler["command"]
            for entry in registered.get(event, [])
            for handler in entries.handlers(entry)
        ]
        own = [
            command
            for command in commands
            if entries.is_own({"command": command}, {entries.wrapper(client)})
        ]
        for command in own:
            _run(client, event, command, payload)
        if any(" log_event" in command for command in own):
            names.append(harness.get(client).normalise(payload)["event_name"])
    return session, names


def upload() -> None:
    """Have everything that is spooled put into the store. Raises SelfTestFailed."""
    program = f"{os.path.dirname(sys.executable)}/dreamhook"
    done = subprocess.run(
        [program, "drain", "--timeout", str(PATIENCE_S)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        reason = (done.stderr or done.stdout).strip().splitlines() or [
            f"exit status {done.returncode}"
        ]
        raise SelfTestFailed(
            f"the events are kept in the spool, but did not reach Neo4j: {reason[-1]}"
        )


def read_back(store: Store, client: str, session: str, names: list[str]) -> list[Seen]:
    """The session's list from the store. Raises SelfTestFailed when it is not what was sent, in that order."""
    rows = store.read("selftest_read", client=client, session=session)
    seen = [Seen(row["seq"], row["name"], row["text"]) for row in rows]
    if [event.name for event in seen] != names:
        found = ", ".join(event.name for event in seen) or "nothing"
        label = harness.get(client).LABEL
        raise SelfTestFailed(
            f"{label}: sent {', '.join(names)}, but Neo4j has {found}; see `dreamhook doctor`"
        )
    return seen


def _run(client: str, event: str, command: str, payload: dict[str, Any]) -> None:
    # a harness does not have our DREAMHOOK_HOME: the command has to bring it
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith("DREAMHOOK_")
    }
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        input=json.dumps(payload).encode(),
        capture_output=True,
        env=environment,
        cwd=paths.state_dir(),
        timeout=PATIENCE_S,
        check=False,
    )
    trouble = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode or trouble:
        said = trouble.splitlines()[-1] if trouble else f"exit status {done.returncode}"
        raise SelfTestFailed(f"{harness.get(client).LABEL}, {event}: {command}: {said}")
