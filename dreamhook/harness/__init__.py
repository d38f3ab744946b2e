"""One module per harness: its payload to our event, our context to its stdout, and every other fact about it.

A harness is three files, named after its client: `dreamhook/harness/<client>.py`, which offers what `Harness` lists;
`wrappers/<client>.sh`, which runs a hook and tells it what its payloads look like (the options stand in
dreamhook/hook/consent.py); and `wrappers/<client>.json`, which the installer registers. Adding one touches nothing
else: the files in wrappers/ are the list of harnesses.

claude_code: Claude Code: its 34 hook payloads to our event, our context to its stdout.
codex: Codex: its 12 hook payloads to our event, our context to its stdout.
cursor: Cursor (editor and command line): its hook payloads to our event, our context to its
    stdout.
fields: reading a payload whose types nobody promises, as what a Neo4j property can hold.
origin: which conversation a forked one continues, as far as its harness tells: in its payload, or
    in the file it keeps.
replies: what the replies of all harnesses share: where context is taken, how much, and in which
    bytes.
"""

from collections.abc import Collection, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NotRequired, Protocol, TypedDict, cast

from dreamhook import paths
from dreamhook.event import Event, InjectPoint
from dreamhook.harness.origin import Origin


class Settings(TypedDict):
    """Where a harness reads its hooks from: `$<variable>/<file>` if set, else `<folder>/<file>`. The file is JSON."""

    variable: str
    folder: str
    file: str
    table: NotRequired[str]
    """A TOML file in the same folder that may hold the hooks instead of `file`."""
    refuses_byte_order_mark: NotRequired[bool]
    switches: NotRequired[Mapping[str, tuple[str, bool]]]
    """File in the folder → (dotted key, the value with which no hook runs)."""
    trusts_by_position: NotRequired[bool]
    """A hook that moves up when ours are taken out has to be trusted again."""


class Harness(Protocol):
    """What every harness module offers. Modules satisfy it as they are; nothing is registered."""

    CLIENT: str
    """Its name in the graph, and of its three files."""
    LABEL: str
    """Its name for people."""
    SETTINGS: Settings
    """Where it reads its hooks from, and what is special about that place."""
    VARIABLES: str
    """How the names of its own environment variables begin."""
    AFTER_INSTALL: str
    """What a person has to do before it runs the hooks, beside starting a new session; empty for nothing."""
    FOREIGN: Mapping[str, str]
    """Payload key → client: another harness that runs this one's hooks with payloads of its own."""
    START_MAY_BE_LOST: bool
    """Whether the context of a start may never reach the model; a later hook then brings it."""
    LOOKING_TOOLS: Collection[str]
    """Tools that only look: what they found is in the files, so a dream does not read their output."""
    EDITING_TOOLS: Collection[str]
    """Tools that change the files their input names."""
    WHOLE_FILES: Collection[str]
    """Keys of a tool's result that hold a whole file, which grows with it: kept as their length alone."""
    TAGS: Collection[str]
    """Patterns of the names of tags that it puts into a prompt; none may stand in a recalled note."""

    def normalise(self, payload: dict[str, Any]) -> Event:
        """Any JSON object to an event; an unknown one is `Other`, never an error."""

    def inject_point(self, event: Event) -> InjectPoint | None:
        """At which point this harness takes context with this event, if it does."""

    def reply(self, event: Event, context: str) -> bytes:
        """What inject prints. Empty context: what this harness accepts as nothing."""

    def origin(self, payload: dict[str, Any]) -> Origin:
        """Of the payload of a start with source `fork`: which conversation it goes on from."""

    def exit_status(self, payload: dict[str, Any]) -> int | None:
        """Of a shell's result: the exit status where only this harness's own shape tells it, else None."""

    def sample(self, session_id: str, folder: str) -> list[dict[str, Any]]:
        """A made-up session in this harness's payloads, for the installer's self-test."""


class UnknownClient(Exception):
    """No such harness; the message lists those there are."""


@cache
def clients() -> list[str]:
    """The clients of all harnesses, sorted."""
    return sorted(file.stem for file in Path(paths.ROOT, "wrappers").glob("*.json"))


def get(client: str) -> Harness:
    """The one way to a harness. Raises UnknownClient."""
    if client not in clients():
        raise UnknownClient(f"unknown client {client!r}; known: {', '.join(clients())}")
    return cast(Harness, import_module(f"dreamhook.harness.{client}"))


def every() -> list[Harness]:
    """All harnesses, in the order of their clients."""
    return [get(client) for client in clients()]


def named(fact: str) -> frozenset[str]:
    """The names that any harness gives under a fact of `Harness`, such as `TAGS` or `LOOKING_TOOLS`."""
    return frozenset(name for harness in every() for name in getattr(harness, fact))


def sender(client: str, payload: dict[str, Any]) -> Harness:
    """The harness that really sent this payload to `client`'s wrapper."""
    harness = get(client)
    for key, other in harness.FOREIGN.items():
        if key in payload:
            return get(other)
    return harness
