"""Start, stop and find the store: the given one, Docker's, or the embedded server."""

from dataclasses import asdict
from typing import Any

from dreamhook.store import docker, embedded, ports, state
from dreamhook.store.endpoint import Endpoint, StoreUnavailable, given
from dreamhook.store.state import State


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
        return state.to_endpoint(_running() or _fresh(progress))


def stop() -> bool:
    """Stop the store we manage, for good until start(). False when none was running."""
    with state.lock():
        state.mark_stopped(True)
        known = state.read()
        stopped = known is not None and known.kind == "docker" and docker.stop()
        pid = embedded.running(known)
        if pid is not None:
            embedded.stop(pid)
        return stopped or pid is not None


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
    if known and _is_up(known) and ports.answers(known.bolt):
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
            "pid": embedded.running(known) if known.kind == "embedded" else None,
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
    if not _is_up(known):
        return None
    if known.kind == "docker":
        return known if _logs_in(state.to_endpoint(known)) else None
    return known if embedded.wait(known) else None


def _is_up(known: State) -> bool:
    return docker.running() if known.kind == "docker" else embedded.running(known) is not None


def _fresh(progress: bool) -> State:
    """Docker's where it works: an image that cannot be had must not leave a person without a store."""
    if docker.engine_answers():
        try:
            return docker.start()
        except StoreUnavailable as error:
            if progress:
                from rich.console import Console

                Console(stderr=True).print(
                    f"{error}; using the embedded server", markup=False, highlight=False
                )
    return embedded.start(progress)


def _logs_in(endpoint: Endpoint) -> bool:
    from dreamhook.store.connect import (
        logs_in,
    )  # the driver costs most of a second; stopped_on_purpose needs none

    return logs_in(endpoint)
