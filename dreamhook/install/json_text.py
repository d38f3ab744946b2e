"""Puts entries into a JSON text, and takes them out, without touching any other character of it."""

import json
import re
from typing import Any, NamedTuple

DECODER = json.JSONDecoder()
BLANK = re.compile(r"[ \t\r\n]*")


class Child(NamedTuple):
    """A member or an item: `start` to `end` in the text; a member's value begins at `value`."""

    key: str | int
    start: int
    value: int
    end: int


def children(text: str, at: int) -> tuple[list[Child], int]:
    """What is in the object or array that opens at `at`, and where its closing bracket stands. Valid JSON only."""
    is_object = text[at] == "{"
    found: list[Child] = []
    position = _skip(text, at + 1)
    while text[position] not in "}]":
        start = value = position
        key: str | int = len(found)
        if is_object:
            key, position = DECODER.raw_decode(text, start)
            value = _skip(text, _skip(text, position) + 1)
        end = DECODER.raw_decode(text, value)[1]
        found.append(Child(key, start, value, end))
        position = _skip(text, end)
        if text[position] == ",":
            position = _skip(text, position + 1)
    return found, position


def find(text: str, *path: str | int) -> Child:
    """The child at a path of keys and indices (a doubled key: the last, as parsers do). KeyError when there is none."""
    at = _skip(text, 0)
    child = Child("", at, at, len(text))
    for key in path:
        matches = [child for child in children(text, at)[0] if child.key == key]
        if not matches:
            raise KeyError(key)
        child = matches[-1]
        at = child.value
    return child


def append(text: str, path: tuple[str | int, ...], content: Any, key: str | None = None) -> str:
    """Add an item to the array, or a member `key` to the object, at `path`; as its last, in the file's style."""
    at = find(text, *path).value
    inside, close = children(text, at)
    label = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    if inside:
        last = inside[-1]
        lead = _line_lead(text, last.start)
        if lead is None:  # siblings on one line: join them there
            gap = " " if _spaced(text) else ""
            return text[: last.end] + "," + gap + _flat(text, label, content) + text[last.end :]
        added = "," + _newline(text) + lead + label + _render(text, content, lead)
        return text[: last.end] + added + text[last.end :]
    if not _has_lines(text):
        return text[: at + 1] + _flat(text, label, content) + text[close:]
    outer = _indent_of_line(text, at)
    lead = outer + _unit(text)
    newline = _newline(text)
    return (
        text[: at + 1]
        + newline
        + lead
        + label
        + _render(text, content, lead)
        + newline
        + outer
        + text[close:]
    )


def replace(text: str, path: tuple[str | int, ...], content: Any) -> str:
    """Put another value at `path`."""
    child = find(text, *path)
    lead = _line_lead(text, child.start)
    new = _flat(text, "", content) if lead is None else _render(text, content, lead)
    return text[: child.value] + new + text[child.end :]


def remove(text: str, path: tuple[str | int, ...]) -> str:
    """Take out the child at `path` with the comma that goes with it."""
    gone = find(text, *path)
    at = find(text, *path[:-1]).value
    inside, close = children(text, at)
    position = inside.index(gone)
    if len(inside) == 1:
        return text[: at + 1] + text[close:]
    if position:
        return text[: inside[position - 1].end] + text[gone.end :]
    return text[: gone.start] + text[inside[1].start :]


def _skip(text: str, position: int) -> int:
    return BLANK.match(text, position).end()  # type: ignore[union-attr]  # it matches nothing, too


def _render(text: str, content: Any, lead: str) -> str:
    unit = _unit(text)
    if not unit:
        return _flat(text, "", content)
    return json.dumps(content, ensure_ascii=False, indent=unit).replace("\n", _newline(text) + lead)


def _flat(text: str, label: str, content: Any) -> str:
    """On one line, with or without blanks after its signs as the file has them."""
    separators = (", ", ": ") if _spaced(text) else (",", ":")
    return (label if _spaced(text) else label.rstrip()) + json.dumps(
        content, ensure_ascii=False, separators=separators
    )


def _has_lines(text: str) -> bool:
    body = text.strip()
    return "\n" in body or body in ("{}", "[]")  # an empty file has no style yet: give it lines


def _spaced(text: str) -> bool:
    return re.search(r'":\S', text) is None


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(text: str) -> str:
    """One step of indentation: that of the first indented line."""
    indented = re.search(r"\n([ \t]+)[^ \t\r\n]", text)
    if indented:
        return indented[1]
    return "" if '\n"' in text else "  "


def _line_lead(text: str, position: int) -> str | None:
    """The indentation before `position`, when nothing else stands before it on its line."""
    start = text.rfind("\n", 0, position) + 1
    lead = text[start:position]
    return lead if start and not lead.strip() else None


def _indent_of_line(text: str, position: int) -> str:
    start = text.rfind("\n", 0, position) + 1
    return re.match(r"[ \t]*", text[start:])[0]  # type: ignore[index]  # it matches nothing, too
