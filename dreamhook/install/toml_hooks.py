"""Our entries in Codex's config.toml, for those who keep their hooks there: one representation per layer.

Tables are added at the end and removed line by line, so comments and layout of everything else stay.
"""

import json
import re
import tomllib
from typing import Any, NamedTuple

from dreamhook.install.entries import Entry, Refused, is_own, merged, merged_hooks, own_at

MARK = "# dreamhook: recorded by its hooks; ./install.sh --uninstall takes these tables out"
INLINE = "has hooks as inline values; write them as [[hooks.<Event>]] tables and run again"
HEADER = re.compile(r"\s*\[.*\]\s*(#.*)?$")
NAME = re.compile(r"\s*\[\[\s*hooks\s*\.\s*[\"']?(\w+)[\"']?(\s*\.\s*hooks)?\s*\]\]")


class Section(NamedTuple):
    """Lines `start` to `end` under one `[[hooks.<event>]]` or `[[hooks.<event>.hooks]]` header."""

    event: str
    is_group: bool
    start: int
    end: int


def parse(text: str) -> Entry:
    """The settings in a file. Raises Refused for what we cannot extend."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise Refused(f"not valid TOML: {error}", int(line[1]) if line else None) from None
    hooks = data.get("hooks", {})
    if not isinstance(hooks, dict):
        raise Refused("hooks is not a table")
    return data


def events(data: Entry) -> dict[str, list[Any]]:
    """What `[hooks]` registers; Codex keeps its trust records there too, and those are no hooks."""
    return {key: value for key, value in data.get("hooks", {}).items() if isinstance(value, list)}


def merge(text: str, fragment: Entry, wrappers: set[str]) -> str:
    """The text with exactly the fragment's entries of ours in it."""
    data = parse(text)
    wanted: dict[str, list[Entry]] = fragment["hooks"]
    present = events(data)
    expected = data | {"hooks": merged_hooks(data.get("hooks", {}), wanted, wrappers, set())}
    newline = "\r\n" if "\r\n" in text else "\n"
    for event, entries in present.items():
        text = _settle(text, event, entries, wanted.get(event, []), wrappers)
    added = [
        _render(event, group)
        for event, groups in wanted.items()
        for group in groups[len(own_at(present.get(event, []), wrappers)) :]
    ]
    if added:
        ending = "" if text.endswith("\n") or not text else newline
        text += ending + newline + "\n".join([MARK, *added]).replace("\n", newline) + newline
    return _checked(text, expected)


def strip(text: str, wrappers: set[str]) -> str:
    """The text without our entries."""
    data = parse(text)
    expected = data | {"hooks": merged_hooks(data.get("hooks", {}), {}, wrappers, set())}
    for event, entries in events(data).items():
        text = _settle(text, event, entries, [], wrappers)
    return _checked(text, expected)


def _settle(text: str, event: str, entries: list[Any], wanted: list[Entry], wrappers: set[str]) -> str:
    """One event: our groups replaced in place or taken out, our handlers taken out of others' groups."""
    own = own_at(entries, wrappers)
    if entries == merged(entries, wanted[: len(own)], wrappers):
        return text
    lines = text.splitlines(keepends=True)
    newline = "\r\n" if "\r\n" in text else "\n"
    groups = _groups(_sections(lines), event)
    if [len(handlers) for _, handlers in groups] != [len(entry.get("hooks", [])) for entry in entries]:
        raise Refused(INLINE)
    for index in reversed(range(len(entries))):
        group, handlers = groups[index]
        if index in own:
            number = own.index(index)
            new = _render(event, wanted[number]).replace("\n", newline) + newline if number < len(wanted) else ""
            last = handlers[-1].end if handlers else group.end
            start = group.start
            if not new and start and lines[start - 1].strip() == MARK:
                start -= 1
                if start and not lines[start - 1].strip():
                    start -= 1
            lines[start:last] = [new]
        else:
            for section, handler in reversed(list(zip(handlers, entries[index]["hooks"], strict=True))):
                if is_own(handler, wrappers):
                    lines[section.start : section.end] = []
    return "".join(lines)


def _sections(lines: list[str]) -> list[Section]:
    """The hook tables, in order. A bracket inside a multi-line value is no header: what is before it does not parse."""
    starts = [n for n, line in enumerate(lines) if HEADER.match(line) and _parses("".join(lines[:n]))]
    found = []
    for start, following in zip(starts, [*starts[1:], len(lines)], strict=True):
        name = NAME.match(lines[start])
        end = following
        while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
            end -= 1  # blank lines and comments belong to what follows
        if name:
            found.append(Section(name[1], name[2] is None, start, end))
    return found


def _groups(sections: list[Section], event: str) -> list[tuple[Section, list[Section]]]:
    groups: list[tuple[Section, list[Section]]] = []
    for section in sections:
        if section.event == event and section.is_group:
            groups.append((section, []))
        elif section.event == event and groups:
            groups[-1][1].append(section)
    return groups


def _parses(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _render(event: str, group: Entry) -> str:
    """A group as tables. JSON's strings, numbers and booleans are TOML's too."""
    tables = [(f"[[hooks.{event}]]", {key: value for key, value in group.items() if key != "hooks"})]
    tables += [(f"[[hooks.{event}.hooks]]", handler) for handler in group["hooks"]]
    return "\n".join(
        "\n".join([head, *(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in pairs.items())])
        for head, pairs in tables
    )


def _checked(text: str, expected: Entry) -> str:
    """The edit may only do what the data says."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        data = {}
    if data | {"hooks": data.get("hooks", {})} != expected:
        raise Refused(INLINE)
    return text
