"""Replaces secrets: in a text, in a parsed value, in a raw payload.

A secret becomes `[REDACTED:<kind>:<hmac8>]`: the hash is keyed per installation, so equal secrets stay equal and
nothing can be looked up from it. Private passages become `[PRIVATE]`. Scrubbing twice changes nothing more.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator

from dreamhook.scrub import judge, secret_files
from dreamhook.scrub.rules import RULES, compiled

Span = tuple[int, int, str]
"""Start, end, kind; kind "" is a private passage."""

_ROUNDS = 8
_SHORT, _REMEMBERED = 256, 4096
_clean: set[str] = set()
"""Short texts in which nothing was found: keys, ids and folders come with every event, and cost most of its scrub."""
_TABLE = [
    (kind, literals.split(), pattern, pattern.startswith("(?i)"))
    for kind, literals, pattern, _ in RULES
]
_MARKER = r"\[REDACTED:[a-z0-9-]{1,32}:[0-9a-f]{8}\]"
_PRIVATE = r"(?i)<(/?)private[ \t]{0,8}>"
_HIDING = r"\x1b\[[0-9;]{0,40}m|\\{1,8}+(?:u001[bB]\[[0-9;]{0,40}m|u00([2-7][0-9a-fA-F])|(/))"
_CUT = r'(?i)"(?:%s)"\s{0,8}:\s{0,8}'
_STRING = r'(\[[^\]]{0,4096}+|"(?:[^"\\]|\\.){0,4096}+)'


def scrub_text(text: str, key: bytes) -> str:
    """The text with every secret span replaced, all else untouched. Linear in its length; never raises."""
    if text in _clean:
        return text
    whole = text
    for _ in range(_ROUNDS):
        before = text
        text = _once(text, key)
        if text == before:
            break
    if text == whole and len(text) <= _SHORT:
        if len(_clean) >= _REMEMBERED:
            _clean.clear()
        _clean.add(text)
    return text


def scrub_value(value: object, key: bytes) -> object:
    """A parsed JSON value with its strings scrubbed, the values of secret-named keys replaced, and the content of
    secret files (tool input and output) replaced by hash and length. Any depth; what is no JSON type stays as it is."""
    return _walk(value, key)[0]


def scrub_payload(raw: bytes, key: bytes) -> bytes:
    """A hook's payload, scrubbed: compact JSON, or the bytes as text where they are no JSON object we can read.
    The same bytes if nothing was found. Never raises."""
    import json

    text = raw.decode("utf-8", "surrogateescape")
    twice = []

    def members(pairs: list[tuple[str, object]]) -> dict[str, object]:
        item = dict(pairs)
        if len(item) != len(pairs):
            twice.append(True)  # the hidden one would survive in unchanged bytes
        return item

    try:
        whole = raw.decode(json.detect_encoding(raw), "surrogateescape") if "\0" in text else text
        value = json.loads(whole.removeprefix("\ufeff"), object_pairs_hook=members)
        scrubbed, changed = _walk(value, key)
        if not changed and not twice:
            return raw
        try:
            return _dump(scrubbed, escaped=False).encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            return _dump(scrubbed, escaped=True).encode("ascii")
    except (ValueError, RecursionError):
        scrubbed_text = scrub_text(_without_file(text, key), key)
        return raw if scrubbed_text == text else _encoded(scrubbed_text)


def _once(text: str, key: bytes) -> str:
    view, places = _view(text)
    spans = _merged(_spans(view))
    if not spans:
        return text
    parts, at = [], 0
    for start, end, kind in spans:
        first, last = (
            (_place(places, start)[0], _place(places, end - 1)[1]) if places else (start, end)
        )
        parts += [text[at:first], _marker(kind, view[start:end], key) if kind else "[PRIVATE]"]
        at = last
    return "".join([*parts, text[at:]])


def _marker(kind: str, secret: str, key: bytes) -> str:
    try:
        from _blake2 import blake2s  # hashlib costs a hook 4 ms more
    except ImportError:
        from hashlib import blake2s
    mac = blake2s(secret.encode("utf-8", "surrogatepass"), key=key[:32], digest_size=4)
    return f"[REDACTED:{kind}:{mac.hexdigest()}]"


def _view(text: str) -> tuple[str, list[tuple[int, int, int]]]:
    """The text as a reader sees it: colour codes gone, `\\u0067` and `\\/` decoded, earlier markers blanked.
    With it, per piece: its start in the view, its start in the text, and its end there if it is one decoded sign.
    No pieces: the view is the text, place for place."""
    if "[REDACTED:" in text:
        text = compiled(_MARKER).sub(lambda found: "[" + "\0" * (len(found[0]) - 2) + "]", text)
    if "\x1b[" not in text and "\\u00" not in text and "\\/" not in text:
        return text, []
    pieces: list[str] = []
    places: list[tuple[int, int, int]] = []
    length = at = 0

    def add(piece: str, start: int, end: int) -> None:
        nonlocal length
        if piece:
            pieces.append(piece)
            places.append((length, start, end))
            length += len(piece)

    for found in compiled(_HIDING).finditer(text):
        add(text[at : found.start()], at, 0)
        add(chr(int(found[1], 16)) if found[1] else found[2] or "", found.start(), found.end())
        at = found.end()
    add(text[at:], at, 0)
    return "".join(pieces), places


def _place(places: list[tuple[int, int, int]], at: int) -> tuple[int, int]:
    """Start and end, in the text, of one character of the view."""
    seen, start, end = places[bisect_right(places, at, key=lambda place: place[0]) - 1]
    return (start, end) if end else (start + at - seen, start + at - seen + 1)


def _spans(text: str) -> Iterator[Span]:
    low = text.lower()
    if "<private" in low:
        yield from _private(text)
    for kind, literals, pattern, folded in _TABLE:
        hay = low if folded else text
        for literal in literals:
            if literal in hay:
                yield from _matches(kind, compiled(pattern), text)
                break


def _matches(kind: str, pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    at = 0
    while found := pattern.search(text, at):
        at = found.end()
        if "v" not in pattern.groupindex:
            yield (*found.span(found.re.groups and 1), kind)
            continue
        value = "q" if found.groupdict().get("q") is not None else "v"
        if judge.is_secret(found):
            yield (*found.span(value), kind)
        else:
            at = found.start(value)  # a secret may lie inside what was no secret as a whole


def _private(text: str) -> Iterator[Span]:
    """Outermost passages; an unclosed one ends with the text."""
    depth = start = 0
    for tag in compiled(_PRIVATE).finditer(text):
        if tag[1] and depth:
            depth -= 1
            if not depth:
                yield start, tag.end(), ""
        elif not tag[1]:
            start = start if depth else tag.start()
            depth += 1
    if depth:
        yield start, len(text), ""


def _merged(spans: Iterator[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        if merged and start < merged[-1][1]:
            first, last, known = merged[-1]
            merged[-1] = (first, max(last, end), known)
        else:
            merged.append((start, end, kind))
    return merged


def _walk(root: object, key: bytes) -> tuple[object, bool]:
    """The scrubbed value and whether anything changed. By a list, not by calls: 10,000 levels are legal JSON."""
    changed = False
    todo: list[tuple[object, dict[object, object] | list[object], str]] = []

    def put(value: object, name: str) -> object:
        nonlocal changed
        new = _leaf(value, name, key)
        changed = changed or new is not value
        if not isinstance(new, (dict, list)):
            return new
        empty: dict[object, object] | list[object] = {} if isinstance(new, dict) else []
        todo.append((new, empty, name if isinstance(new, list) else ""))
        return empty

    top = put(root, "")
    while todo:
        source, target, name = todo.pop()
        if isinstance(source, list) and isinstance(target, list):
            target.extend(put(value, name) for value in source)
        elif isinstance(source, dict) and isinstance(target, dict):
            secret_file = secret_files.names_secret_file(source)
            for old, value in source.items():
                label = _leaf(old, "", key)
                new = _without_body(old, value, key) if secret_file else value
                changed = changed or label is not old or new is not value
                target[label] = put(new, old if judge.is_name(old) else "")
    return top, changed


def _leaf(value: object, name: str, key: bytes) -> object:
    """A string or number under this secret name ("" for others); the same object when nothing was found."""
    if isinstance(value, str):
        if name and judge.is_member_secret(name, value):
            return _marker("member", value, key)
        scrubbed = scrub_text(value, key)
        return value if scrubbed == value else scrubbed
    if (
        name
        and isinstance(value, (int, float))
        and not isinstance(value, bool)
        and judge.is_plain_name(name)
    ):
        return _marker("member", str(value), key)
    return value


def _without_body(name: str, value: object, key: bytes) -> object:
    """A member of an object that is about a secret file; the same value when it is no content."""
    low = name.lower()
    command = low in secret_files.COMMAND_KEYS and secret_files.writes_secret_file(
        secret_files.leaves(value)
    )
    if low not in secret_files.BODY_KEYS and not command:
        return value
    body = secret_files.leaves(value)
    if not body or body.startswith("[REDACTED:file:"):
        return value
    return f"{_marker('file', body, key)} {len(body)} characters"


def _without_file(text: str, key: bytes) -> str:
    """The same for a payload that is no JSON (any more): all from the first content on."""
    if "{" not in text:
        return text
    paths = compiled(_CUT % "|".join(sorted(secret_files.PATH_KEYS)) + _STRING).finditer(text)
    secret = any(secret_files.is_secret_file(path[1].strip('["')) for path in paths)
    body = compiled(_CUT % "|".join(sorted(secret_files.BODY_KEYS))).search(text)
    cut = body.end() if body else len(text)
    for command in compiled(_CUT % "|".join(sorted(secret_files.COMMAND_KEYS)) + _STRING).finditer(
        text
    ):
        words = command[1].replace("\\n", "\n").replace("\\t", "\t")
        secret = secret or secret_files.reads_secret_file(words)
        if secret_files.writes_secret_file(words):
            cut = min(cut, command.start(1))
    if not secret or cut == len(text) or text.startswith('"[REDACTED:file:', cut):
        return text
    return f'{text[:cut]}"{_marker("file", text[cut:], key)} {len(text) - cut} characters"'


def _dump(value: object, escaped: bool) -> str:
    import json

    return json.dumps(value, ensure_ascii=escaped, separators=(",", ":"))


def _encoded(text: str) -> bytes:
    """Bytes that were no UTF-8 come back as they were."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
