"""One module per harness: its payload to our event, our context to its stdout.

A harness is `dreamhook/harness/<client>.py` with what `Harness` names, `wrappers/<client>.sh` and
`wrappers/<client>.json`; adding one touches nothing else. The wrappers are the list.
"""

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, TypedDict, cast

from dreamhook import paths
from dreamhook.event import Event, Moment
from dreamhook.harness.origin import Origin


class Settings(TypedDict):
    """Where a harness reads its hooks from: `$<variable>/<file>` if set, else `<folder>/<file>`."""

    variable: str
    folder: str
    file: str


class Harness(Protocol):
    """What a harness module offers. Modules satisfy it as they are; nothing is registered."""

    CLIENT: str
    LABEL: str
    """Its name for people."""
    SETTINGS: Settings
    FOREIGN: dict[str, str]
    """Payload key → client: another harness that reads this one's settings and keeps its own payload shape."""

    def normalise(self, payload: dict[str, Any]) -> Event:
        """Any JSON object to an event; an unknown one is `Other`, never an error."""

    def moment(self, event: Event) -> Moment | None:
        """Whether this harness takes context with this event."""

    def origin(self, payload: dict[str, Any]) -> Origin:
        """Of the payload of a start with source `fork`: which conversation it goes on from."""

    def reply(self, event: Event, context: str) -> bytes:
        """What inject prints. Empty context: what this harness accepts as nothing."""


class UnknownClient(Exception):
    """No such harness; the message lists those there are."""


@cache
def clients() -> list[str]:
    return sorted(file.stem for file in Path(paths.ROOT, "wrappers").glob("*.json"))


def get(client: str) -> Harness:
    if client not in clients():
        raise UnknownClient(f"unknown client {client!r}; known: {', '.join(clients())}")
    return cast(Harness, import_module(f"dreamhook.harness.{client}"))


def sender(client: str, payload: dict[str, Any]) -> Harness:
    """The harness that really sent this payload to `client`'s wrapper."""
    harness = get(client)
    for key, other in harness.FOREIGN.items():
        if key in payload:
            return get(other)
    return harness
