"""Which hook entries are ours, and what a harness's settings hold once they are in or out.

Works on parsed data only. Two shapes exist: a list of groups with handlers inside, and a flat list of handlers;
`wrappers/<client>.json` shows which one a harness has. The text editors are checked against what is said here.
"""

import copy
import json
import os
import shlex
from pathlib import Path
from typing import Any

from dreamhook import paths


class Refused(Exception):
    """Settings that are left as they are; `line` says where they are not what we can extend."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.line = line


Entry = dict[str, Any]
"""One item of an event's list: a group of handlers, or a handler."""


def wrapper(client: str) -> str:
    """The program this checkout registers for a harness; its path is the mark of our entries."""
    return f"{paths.ROOT}/wrappers/{client}.sh"


def fragment(client: str) -> Entry:
    """`wrappers/<client>.json` with its commands made runnable here.

    A harness does not have the environment of the installation, so a DREAMHOOK_HOME goes into the command.
    """
    home = os.environ.get("DREAMHOOK_HOME")
    option = f" --home {shlex.quote(os.path.abspath(home))}" if home else ""

    def filled(value: Any) -> Any:
        if isinstance(value, list):
            return [filled(item) for item in value]
        if isinstance(value, dict):
            return {
                key: item.replace("{wrapper}", shlex.quote(wrapper(client))) + option
                if key == "command" and isinstance(item, str)
                else filled(item)
                for key, item in value.items()
            }
        return value

    file = Path(paths.ROOT, "wrappers", f"{client}.json")
    content: Entry = filled(json.loads(file.read_text(encoding="utf-8")))
    return content


def handlers(entry: Any) -> list[Any]:
    """What an item of an event's list runs."""
    if not isinstance(entry, dict):
        return []
    inner = entry.get("hooks")
    return inner if isinstance(inner, list) else [entry]


def is_own(handler: Any, wrappers: set[str]) -> bool:
    """Whether a handler runs one of these wrappers."""
    command = handler.get("command") if isinstance(handler, dict) else None
    if not isinstance(command, str):
        return False
    try:
        return bool(wrappers.intersection(shlex.split(command)))
    except ValueError:  # unbalanced quotes: somebody else's
        return False


def own_at(entries: list[Any], wrappers: set[str]) -> list[int]:
    """Positions of the items that are wholly ours."""
    return [
        index
        for index, entry in enumerate(entries)
        if handlers(entry) and all(is_own(handler, wrappers) for handler in handlers(entry))
    ]


def strays_at(entries: list[Any], wrappers: set[str]) -> list[tuple[int, int]]:
    """(item, handler) of ours that somebody moved into a group of theirs."""
    own = set(own_at(entries, wrappers))
    return [
        (index, inner)
        for index, entry in enumerate(entries)
        if index not in own
        for inner, handler in enumerate(handlers(entry))
        if is_own(handler, wrappers)
    ]


def merged(entries: list[Any], wanted: list[Entry], wrappers: set[str]) -> list[Any]:
    """An event's list with exactly `wanted` of ours: in the old places as far as they go, then at the end.

    Nothing is put before a foreign item: a harness may know a hook by its position (`trusts_by_position`).
    """
    own = own_at(entries, wrappers)
    result: list[Any] = []
    for index, entry in enumerate(entries):
        if index not in own:
            entry = copy.deepcopy(entry)
            if any(is_own(handler, wrappers) for handler in handlers(entry)):
                entry["hooks"] = [
                    handler for handler in entry["hooks"] if not is_own(handler, wrappers)
                ]
            result.append(entry)
        elif own.index(index) < len(wanted):
            result.append(wanted[own.index(index)])
    return result + wanted[len(own) :]


def merged_hooks(
    hooks: Entry, wanted: dict[str, list[Entry]], wrappers: set[str], keep: set[str]
) -> Entry:
    """All events. A list that is empty without ours goes with its event, unless that is one to `keep`."""
    result: Entry = {}
    for event, entries in hooks.items():
        if event not in wanted and not holds_own(entries, wrappers):
            result[event] = entries
        elif (left := merged(entries, wanted.get(event, []), wrappers)) or event in keep:
            result[event] = left
    return result | {event: groups for event, groups in wanted.items() if event not in hooks}


def holds_own(entries: Any, wrappers: set[str]) -> bool:
    """Whether an event's list has anything of ours."""
    return isinstance(entries, list) and any(
        is_own(handler, wrappers) for entry in entries for handler in handlers(entry)
    )


def shifts_others(hooks: Entry, wrappers: set[str]) -> int:
    """How many foreign items stand behind one of ours, and so move when ours goes."""
    count = 0
    for entries in hooks.values():
        own = own_at(entries, wrappers) if isinstance(entries, list) else []
        count += sum(index not in own for index in range(own[0], len(entries))) if own else 0
    return count
