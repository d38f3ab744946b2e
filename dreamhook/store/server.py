"""Start, stop and find the store: the given one, or the embedded server."""

from dataclasses import asdict
from typing import Any

from dreamhook.store import embedded, ports, state
from dreamhook.store.endpoint import Endpoint, StoreUnavailable, given
from dreamhook.store.state import State

CONTAINER = (
    "the store still runs in the container that an earlier dreamhook started; this one does not use Docker. "
    "Run `docker stop dreamhook-neo4j-…` (`docker ps` has its whole name), then `dreamhook neo4j start`: "
    "the data stays where it is"
)


def start(progress: bool = True) -> Endpoint:
    """Have a store that answers; does nothing when it runs already. Raises StoreUnavailable.

    Two starts at once give one server. A server that was killed, a reboot and a taken port are repaired here.
    """
    named = given()
    if named:
        if not _logs_in(named):
            raise StoreUnavailable(
                f"the store at {named.uri} does not answer; start it, or correct [neo4j] uri"
            )
        return named
    with state.lock():
        state.mark_stopped(False)
        return state.to_endpoint(_running() or embedded.start(progress))


def stop() -> bool:
    """Stop the store we manage, for good until start(). False when none was running."""
    with state.lock():
        state.mark_stopped(True)
        pid = embedded.running(state.read())
        if pid is not None:
            embedded.stop(pid)
        return pid is not None


def ensure_running() -> Endpoint:
    """start(), unless a person stopped the store: then StoreUnavailable.

    A server that runs is not asked anything here: one that hangs would hold the worker longer than its own first query.
    """
    if given() is not None:
        return start(progress=False)
    if state.stopped_on_purpose():
        raise StoreUnavailable(
            "the store was stopped; events wait in the spool, run `dreamhook neo4j start`"
        )
    known = state.read()
    if known and embedded.running(known) is not None and ports.answers(known.bolt):
        return state.to_endpoint(known)
    return start(progress=False)


def status() -> dict[str, Any]:
    """What is known, JSON-able; `running` is what answers now. Never raises StoreUnavailable."""
    told: dict[str, Any] = {
        "kind": None, "running": False, "uri": None, "http_url": None, "user": None, "password_file": None,
        "version": None, "pid": None, "data": None, "stopped_on_purpose": False, "problem": None,
    }  # fmt: skip
    try:
        named = given()
        if named:
            return told | _seen(named)
        known = state.read()
        told |= {
            "data": str(state.home() / "data"),
            "stopped_on_purpose": state.stopped_on_purpose(),
        }
        if known is None:
            return told
        told |= {
            "version": known.version,
            "pid": embedded.running(known),
        }
        return told | _seen(state.to_endpoint(known))
    except StoreUnavailable as error:
        return told | {"problem": str(error)}


def _seen(endpoint: Endpoint) -> dict[str, Any]:
    shown = {
        key: value for key, value in asdict(endpoint).items() if key not in ("password", "database")
    }
    try:
        return shown | {"running": _logs_in(endpoint)}
    except StoreUnavailable as error:
        return shown | {"problem": str(error)}


def _running() -> State | None:
    """The server of this home, if it is up or coming up."""
    known = state.read()
    if known is None:
        pid = embedded.running(None)
        if pid is not None:
            embedded.stop(pid)  # its ports are lost with the state file
        return None
    if known.kind == "docker" and ports.answers(known.bolt):
        raise StoreUnavailable(CONTAINER)
    return known if embedded.running(known) is not None and embedded.wait(known) else None


def _logs_in(endpoint: Endpoint) -> bool:
    # Here, because the driver costs most of a second and a store stopped on purpose needs none.
    from dreamhook.store.connect import logs_in

    return logs_in(endpoint)
