"""What the person wants no record of: paths in config.toml, blocked and paused checkouts.

They are compiled into one small file, `excluded`, that a hook can test without parsing anything: per rule a word
that must occur in a payload before it can be about that path. Only then the hook loads this module and looks closely.
"""

import json
import os
import re
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from dreamhook import paths
from dreamhook.files import replace_file
from dreamhook.repository import checkouts
from dreamhook.scrub.secret_files import COMMAND_KEYS, PATH_KEYS

FOLDER_KEYS = frozenset(
    {"cwd", "workspace_roots", "old_cwd", "new_cwd", "worktree_path", "directory"}
)
EXACT = "="
"""Begins a rule that is a plain path: a checkout's folder may hold characters that a pattern would read as its own."""
_WORDS = re.compile(r"[\s;|&<>()\[\]'\"`=@,]+")
_DEPTH = 6


def rules() -> list[str]:
    """The rules in force, for drain and worker; the hook reads the same file. Read again only when it has changed.

    With a config.toml that cannot be used, what was excluded stays so; `dreamhook doctor` names the mistake.
    """
    global _rules
    stamp = _stamp(_file())
    if _mtime(stamp) != _mtime(_stamp(paths.config_file())):
        from dreamhook.config import ConfigError

        with suppress(ConfigError, OSError):
            refresh()
        stamp = _stamp(_file())
    if _rules[:2] != (_file(), stamp):
        _rules = (_file(), stamp, [line.partition("\t")[2] for line in _lines()])
    return _rules[2]


def refresh() -> None:
    """Write `excluded` anew if config.toml or the list of checkouts asks for something else. Raises ConfigError."""
    from dreamhook import config
    from dreamhook.repository import pause  # a hook comes here only when config.toml has changed

    time_ns = _mtime(_stamp(paths.config_file()))
    asked = [rule for pattern in config.load().exclude for rule in (pattern, *_resolved(pattern))]
    wanted = [*asked, *(EXACT + folder for folder in checkouts.closed(checkouts.load()))]
    lines = list(dict.fromkeys(f"{gate_word(rule)}\t{rule}" for rule in wanted if "\n" not in rule))
    if lines == _lines() and _mtime(_stamp(_file())) == time_ns:
        return
    paths.make_private(paths.state_dir())
    content = "".join(line + "\n" for line in lines).encode("utf-8", "surrogateescape")
    # with the time of config.toml: so a hook sees, by two stats, that it was changed since
    replace_file(_file(), content, synced=False, time_ns=time_ns)
    pause.drop_packs()  # they were answers under the settings of before


def gate_word(rule: str) -> str:
    """The last part of a rule without wildcards, in lower case and as JSON would hold it in any escaping: in ASCII."""
    rule = unicodedata.normalize("NFC", rule)
    plain = (
        [rule[1:].rsplit("/", 1)[-1]]
        if rule.startswith(EXACT)
        else re.split(r"[*?/\[\]{}~]+", rule)
    )
    runs = [run for part in plain for run in re.findall(r"[A-Za-z0-9_.\-+ ]+", part)]
    return max(reversed(runs), key=lambda run: (len(run) > 2, 0), default="").lower()


def covers(payload: bytes, folder: str, wanted: list[str]) -> bool:
    """Whether this payload, of a hook that ran in `folder`, is about an excluded path. What cannot be read is."""
    if is_excluded(folder, wanted):
        return True
    try:
        value = json.loads(payload.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return True
    return isinstance(value, dict) and concerns(value, wanted)


def concerns(payload: dict[str, Any], wanted: list[str]) -> bool:
    """The same for a parsed payload."""
    if not wanted:
        return False
    folders = [text for key in FOLDER_KEYS for text in _texts(payload.get(key))]
    base = next((text for text in folders if text.startswith("/")), "/")
    return any(is_excluded(text, wanted, base) for text in (*folders, *_named(payload, _DEPTH)))


def is_excluded(path: str, wanted: list[str], base: str = "/") -> bool:
    """Whether a path (relative ones lie in `base`), as written or as it really lies, is one of these or beneath one."""
    path = path.removeprefix("file://")
    path = re.sub(r"^\$(?:HOME\b|\{HOME\})", "~", path)
    path = os.path.join(base, os.path.expanduser(path))
    if "\0" in path:
        return False
    try:
        spellings = {os.path.normpath(path), os.path.realpath(path)}
    except OSError:
        spellings = {os.path.normpath(path)}
    spellings = {unicodedata.normalize("NFC", one) for one in spellings}
    return any(_pattern(rule).fullmatch(one) for rule in wanted for one in spellings)


def _named(value: object, depth: int) -> Iterator[str]:
    """Paths that a tool was given, wherever they stand in the payload."""
    if not depth or not isinstance(value, dict | list):
        return
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        low = key.lower() if isinstance(key, str) else ""
        if low in PATH_KEYS or low in FOLDER_KEYS:
            yield from _texts(inner)
        elif low in COMMAND_KEYS:
            yield from (
                word
                for text in _texts(inner)
                for word in _WORDS.split(text[:20_000])
                if len(word) > 1
            )
        elif low in ("tool_input", "input", "patch") and isinstance(inner, str):
            yield from re.findall(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", inner, re.MULTILINE)
        yield from _named(inner, depth - 1)


def _texts(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [text for text in values if isinstance(text, str)]


_rules: tuple[str, tuple[int, int], list[str]] = ("", (0, 0), [])
_compiled: dict[str, re.Pattern[str]] = {}
_FLAGS = re.DOTALL | (re.IGNORECASE if sys.platform == "darwin" else re.NOFLAG)


def _pattern(rule: str) -> re.Pattern[str]:
    """`*` stays within a folder, `**` does not; what lies beneath a match matches too."""
    rule = rule if rule.startswith(EXACT) else os.path.expanduser(rule.strip())
    found = _compiled.get(rule)
    if found is None:
        _compiled[rule] = found = re.compile(_expression(rule) + r"(?:/.*)?", _FLAGS)
    return found


def _expression(rule: str) -> str:
    if rule.startswith(EXACT):
        return re.escape(unicodedata.normalize("NFC", rule[1:]))
    rule = unicodedata.normalize("NFC", rule)
    if not rule.startswith(("/", "**")):
        rule = "**/" + rule
    rule = re.sub(r"(?:/\*\*)?/*$", "", rule)
    signs = {"**/": "(?:.*/)?", "/**": "(?:/.*)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(/\*\*(?=/)|\*\*/|\*\*|\*|\?)", rule)
    expression = "".join(signs.get(part, re.escape(part)) for part in parts)
    return expression if not expression or expression.startswith("/") else "/" + expression


def _resolved(pattern: str) -> list[str]:
    """The same rule for where its fixed part really lies, if a link leads there."""
    pattern = re.sub(r"(?:/\*\*)?/*$", "", os.path.expanduser(pattern.strip()))
    fixed = re.match(r"(?:/[^/*?]*(?=/|$))*", pattern)
    if not fixed or not fixed[0]:
        return []
    real = os.path.realpath(fixed[0])
    rest = pattern[fixed.end() :]
    return [] if real == fixed[0] else [real + rest if rest else EXACT + real]


def _file() -> str:
    return paths.state_file(paths.EXCLUDED)


def _lines() -> list[str]:
    try:
        with open(_file(), encoding="utf-8", errors="surrogateescape") as stream:
            return stream.read().splitlines()
    except FileNotFoundError:
        return []


def _stamp(file: str) -> tuple[int, int]:
    """When it was changed, in ns, and its inode; zeros when there is none."""
    try:
        found = os.stat(file)
    except FileNotFoundError:
        return 0, 0
    return found.st_mtime_ns, found.st_ino


def _mtime(stamp: tuple[int, int]) -> int:
    return stamp[0]
