"""The store in a container, where a Docker engine answers: the official image on the embedded server's folder."""

import hashlib
import os
import subprocess
import time

from dreamhook import paths
from dreamhook.store import credentials, jars, ports, state
from dreamhook.store.endpoint import StoreUnavailable
from dreamhook.store.state import State

PATIENCE_S = 180


def engine_answers() -> bool:
    """Whether a Docker engine answers; a client alone is not enough."""
    return _docker("version", "--format", "{{.Server.Version}}", seconds=5).returncode == 0


def start() -> State:
    """Start the container and wait until it takes our password. The caller holds the lock. Raises StoreUnavailable."""
    from dreamhook.store.connect import logs_in

    home = state.home()
    credentials.prepare(home)
    paths.make_private(str(home / "logs"))
    _docker("rm", "--force", _name())
    bolt = ports.free(ports.BOLT)
    started = State("docker", jars.version(), bolt, ports.free(ports.HTTP, (bolt,)))
    done = _docker(
        *("run", "--detach", "--name", _name(), "--user", f"{os.getuid()}:{os.getgid()}"),
        *(
            "--publish",
            f"127.0.0.1:{started.bolt}:7687",
            "--publish",
            f"127.0.0.1:{started.http}:7474",
        ),
        *("--volume", f"{home}/data:/data", "--volume", f"{home}/logs:/logs"),
        *(word for setting in _settings(started) for word in ("--env", setting)),
        f"neo4j:{started.version}-community",
        seconds=900,
    )
    if done.returncode:
        _docker("rm", "--force", _name())
        raise StoreUnavailable(
            f"Docker cannot start Neo4j: {done.stderr.strip()[-300:]}; the data is untouched"
        )
    state.write(started)
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline and running():
        if ports.answers(started.bolt) and logs_in(state.to_endpoint(started)):
            return started
        time.sleep(0.3)
    raise StoreUnavailable(
        f"Neo4j does not answer in its container; the data is untouched, see `docker logs {_name()}`"
    )


def running() -> bool:
    return _docker("inspect", "--format", "{{.State.Running}}", _name()).stdout.strip() == "true"


def stop() -> bool:
    """Stop the container, if there is one."""
    was = running()
    _docker("stop", "-t", "60", _name(), seconds=90)
    return was


def _settings(started: State) -> list[str]:
    """server/neo4j.conf in the image's spelling (`_` for `.`, `__` for `_`), listening inside the container only."""
    ours = (
        (jars.LOCK.parent / "neo4j.conf")
        .read_text(encoding="utf-8")
        .format(bolt=started.bolt, http=started.http)
    )
    lines = [line.split("=", 1) for line in ours.splitlines() if line and not line.startswith("#")]
    lines.append(["server.memory.heap.max_size", "384m"])  # as in server/java.args
    return [
        f"NEO4J_{name.replace('_', '__').replace('.', '_')}={value}"
        for name, value in lines
        if "listen_address" not in name and name != "server.directories.import"
    ]


def _name() -> str:
    """One container per home."""
    return "dreamhook-neo4j-" + hashlib.sha256(str(state.home()).encode()).hexdigest()[:12]


def _docker(*arguments: str, seconds: float = 60) -> "subprocess.CompletedProcess[str]":
    """Never raises: a client that is gone or hangs is one that failed."""
    try:
        return subprocess.run(
            ["docker", *arguments], capture_output=True, text=True, timeout=seconds, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(arguments, 127, "", str(error))
