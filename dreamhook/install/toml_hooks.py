"""Our entries in a harness's TOML settings file, for those who keep their hooks there.

Read by the standard library, so that only a file that must be edited asks for tomlkit.
"""

import re
import tomllib
from difflib import SequenceMatcher
from typing import Any

from dreamhook import paths
from dreamhook.install.entries import Entry, Refused, merged_hooks, own_at, strays_at

MARK = "dreamhook: ./install.sh --uninstall takes these out"
UNSAFE = "hooks are written in a way that cannot be edited safely; write them as [[hooks.<Event>]] tables and run again"
MISSING = "editing it takes tomlkit; run: python3 -m venv '{0}/.venv' && '{0}/.venv/bin/pip' install tomlkit"
# tomlkit gathers an array whose tables lie apart; a table of another name before each of them keeps them in place
HOOKS = re.compile(
    r"^(?=[ \t]*\[\[?[ \t]*hooks[ \t]*\.(?!.*\.[ \t]*hooks[ \t]*\]\]))", re.MULTILINE
)
SEAM = re.compile(r"\[dreamhook-seam-\d+\]\n")


def parse(text: str) -> Entry:
    """The settings in a file. Raises Refused for what we cannot extend."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise Refused(f"not valid TOML: {error}", int(line[1]) if line else None) from None
    if not isinstance(data.get("hooks", {}), dict):
        raise Refused("hooks is not a table")
    return data


def events(data: Entry) -> dict[str, list[Any]]:
    """What `[hooks]` registers; a harness may keep its trust records there too, and those are no hooks."""
    return {key: value for key, value in data.get("hooks", {}).items() if isinstance(value, list)}


def strip(text: str, wrappers: set[str]) -> str:
    """The text without our entries. Refused when anything else would change."""
    return merge(text, {"hooks": {}}, wrappers)


def merge(text: str, fragment: Entry, wrappers: set[str]) -> str:
    """The text with exactly the fragment's entries of ours in it. Refused when anything else would change."""
    data = parse(text)
    if any(
        event not in events(data) for event in fragment["hooks"] if event in data.get("hooks", {})
    ):
        raise Refused(UNSAFE)
    expected = data | {
        "hooks": merged_hooks(data.get("hooks", {}), fragment["hooks"], wrappers, set())
    }
    if expected["hooks"] == data.get("hooks", {}):
        return text
    try:
        from tomlkit.exceptions import TOMLKitError
    except ImportError:
        raise Refused(MISSING.format(paths.ROOT)) from None
    try:
        edited = _edited(text, events(data), fragment["hooks"], wrappers)
        after = tomllib.loads(edited)
    except (TOMLKitError, tomllib.TOMLDecodeError):
        raise Refused(UNSAFE) from None
    if after | {"hooks": after.get("hooks", {})} != expected:
        raise Refused(UNSAFE)
    return edited


def _edited(
    text: str, present: dict[str, list[Any]], wanted: dict[str, list[Entry]], wrappers: set[str]
) -> str:
    import tomlkit
    from tomlkit.items import Array, InlineTable

    number = iter(range(len(text) + 1))
    seamed = HOOKS.sub(lambda _: f"[dreamhook-seam-{next(number)}]\n", text)
    document = tomlkit.parse(seamed)
    lines, before = seamed.splitlines(keepends=True), document.as_string().splitlines(keepends=True)
    if len(lines) != len(before):
        raise Refused(UNSAFE)
    parts: list[Any] = [table for key, table in document.body if key and key.key == "hooks"]
    tables = {}
    for event in present | wanted:
        own, groups = own_at(present.get(event, []), wrappers), wanted.get(event, [])
        lists = [
            (part, value)
            for part in parts
            for key, value in part.value.body
            if key and key.key == event
        ]
        _settle(lists, present.get(event, []), own, groups, wrappers)
        for part, value in lists:
            if own and not value:
                part.remove(event)
        added = groups[len(own) :]
        if lists and isinstance(lists[-1][1], Array):
            lists[-1][1].extend(added)
        elif added and parts and isinstance(parts[0], InlineTable):
            parts[0][event] = added
        elif added:
            tables[event] = added
    after = document.as_string().splitlines(keepends=True)
    # tomlkit respells headers: only the lines that it was told to change are taken from it
    changes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    edited = "".join(
        line
        for kind, a, b, c, d in changes
        for line in (lines[a:b] if kind == "equal" else after[c:d])
    )
    edited = SEAM.sub("", edited)
    if tables:  # without blank lines: nobody could tell later whose those are
        added_lines = [line + "\n" for line in tomlkit.dumps({"hooks": tables}).split("\n") if line]
        edited += "\n" if edited and not edited.endswith("\n") else ""
        edited += "".join(added_lines).replace("]]", f"]] # {MARK}", 1)
    windows = 0 < text.count("\n") == text.count("\r\n")
    return edited.replace("\r\n", "\n").replace("\n", "\r\n") if windows else edited


def _settle(
    lists: list[Any], entries: list[Any], own: list[int], groups: list[Entry], wrappers: set[str]
) -> None:
    """One event: our groups replaced in place or taken out, our handlers taken out of others' groups."""
    places = [(part, listed, index) for part, listed in lists for index in range(len(listed))]
    if len(places) != len(entries):
        raise Refused(UNSAFE)
    for at, inner in reversed(strays_at(entries, wrappers)):
        part, listed, index = places[at]
        _cut(part, listed[index]["hooks"], inner)
    for number, at in reversed(list(enumerate(own))):
        part, listed, index = places[at]
        if groups[number : number + 1] != [entries[at]]:
            _cut(part, listed, index)
            for group in groups[number : number + 1]:
                listed.insert(index, group)


def _cut(part: Any, listed: Any, index: int) -> None:
    """Take an item out. Comments and blank lines at the end of a table belong to what follows: they stay."""
    from tomlkit.items import AoT, Comment, Whitespace

    if isinstance(listed, AoT):
        inner = listed[index].get("hooks")
        body = (inner[-1] if inner and isinstance(inner, AoT) else listed[index]).value.body
        tail = ""
        while body and isinstance(body[-1][1], Comment | Whitespace):
            tail = body.pop()[1].as_string() + tail
        if index + 1 < len(listed):
            listed[index + 1].trivia.indent = tail + listed[index + 1].trivia.indent
        else:
            part.value.body.append((None, Whitespace(tail)))
    del listed[index]
