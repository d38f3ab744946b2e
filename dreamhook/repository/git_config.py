"""Git's config files, as far as a repository's address needs them."""

import os
import re

Config = dict[tuple[str, str], dict[str, list[str]]]
"""(section in lower case, subsection) → key in lower case → values in order."""

_SECTION = re.compile(r'\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]')
_ENTRY = re.compile(r"([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$")
_PIECE = re.compile(r'"((?:[^"\\]|\\.)*)"|\\(.)|([^"\\;#]+)|[;#].*')
LIMIT = 1 << 20
_known: dict[str, tuple[tuple[int, int], Config]] = {}


def read_config(file: str) -> Config:
    """A file's content; what is not understood is left out. Raises OSError. Read again only when it has changed."""
    found = os.stat(file)
    stamp = (found.st_mtime_ns, found.st_size)
    known = _known.get(file)
    if known and known[0] == stamp:
        return known[1]
    with open(file, encoding="utf-8", errors="replace") as stream:
        config = parse(stream.read(LIMIT))
    if len(_known) > 200:
        _known.clear()
    _known[file] = (stamp, config)
    return config


def user_config() -> Config:
    """The person's own: ~/.gitconfig over $XDG_CONFIG_HOME/git/config."""
    merged: Config = {}
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    for file in (f"{base}/git/config", os.path.expanduser("~/.gitconfig")):
        try:
            merged |= read_config(file)
        except OSError:
            continue
    return merged


def parse(text: str) -> Config:
    config: Config = {}
    section: tuple[str, str] | None = None
    for line in text.replace("\\\n", "").splitlines():
        line = line.strip()
        head = _SECTION.match(line)
        if head:
            section = (head[1].lower(), re.sub(r"\\(.)", r"\1", head[2] or ""))
            config.setdefault(section, {})
            line = line[head.end() :].strip()
        entry = _ENTRY.match(line)
        if entry and section is not None:
            config[section].setdefault(entry[1].lower(), []).append(_value(entry[2] or ""))
    return config


def _value(text: str) -> str:
    """Without quotes and comments."""
    plain = []
    for piece in _PIECE.finditer(text):
        if piece[0][0] in ";#":
            break
        plain.append(
            re.sub(r"\\(.)", r"\1", piece[1])
            if piece[1] is not None
            else piece[2] or piece[3] or ""
        )
    return "".join(plain).strip()
