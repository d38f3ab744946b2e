"""What a memory is: a markdown file with YAML front matter, at a path that decides its scope."""

import hashlib
import math
import re
import unicodedata
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, TypedDict

ROOTS = ("profile", "tools", "project")
PATH_LIMIT = 200
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_BREAKS = re.compile("[\n\r\x85\u2028\u2029]")
"""What YAML takes for the end of a line."""
_OPENING = re.compile(r"\ufeff?\s*+-{3,}[ \t]*+\r?\n")
_CLOSING = re.compile(r"^-{3,}[ \t]*+\r?(?:\n|\Z)", re.MULTILINE)
"""What stands around front matter, as `frontmatter` takes it; an editor may have added a byte order mark and CRLF."""
KEYS = ("title", "description", "kind", "cues", "author", "evidence", "review_by")
"""Front matter in the order it is written: what a reader decides by comes first, as in a skill."""

EXPIRES = "expires"


class InvalidMemory(Exception):
    """A path or a file that is no memory; the message says why, for a person."""


class Evidence(TypedDict):
    """Where a note's words come from: events of one session."""

    client: str
    session: str
    date: str
    """YYYY-MM-DD, of the session's first event cited."""
    events: list[str]
    """event_id of each."""


@dataclass(frozen=True)
class Note:
    """One memory, parsed. `extra` holds the front matter keys that a person added: they are kept."""

    title: str
    kind: str
    description: str
    cues: list[str]
    author: str
    evidence: list[Evidence]
    review_by: str
    """YYYY-MM-DD, after which the note is shown as due for review; empty: never."""
    body: str
    extra: dict[str, Any] = field(default_factory=dict)


def parse(content: str) -> Note:
    """The note in a markdown file; missing keys are empty. InvalidMemory when the front matter cannot be read."""
    import frontmatter
    import yaml

    try:
        matter, text = frontmatter.parse(content.removeprefix("\ufeff"))
    except (yaml.YAMLError, ValueError) as error:
        raise InvalidMemory(f"the front matter is not valid YAML: {_line(error)}") from error
    return Note(
        title=_line(matter.get("title")),
        kind=_line(matter.get("kind")),
        description=_line(matter.get("description")),
        cues=[_line(cue) for cue in _one_or_more(matter.get("cues"))],
        author=_line(matter.get("author")),
        evidence=[
            _evidence(item) for item in _list(matter.get("evidence")) if isinstance(item, dict)
        ],
        review_by=_line(matter.get("review_by")),
        body=text,
        extra={str(key): value for key, value in matter.items() if key not in KEYS},
    )


def serialise(note: Note) -> str:
    """The markdown file of a note; `parse` gives the same note back (body without outer blank space)."""
    import yaml

    matter: dict[str, Any] = {key: getattr(note, key) for key in KEYS} | note.extra
    text = yaml.dump(
        matter,
        Dumper=_dumper(),
        sort_keys=False,
        width=math.inf,
        allow_unicode=True,
        default_flow_style=False,
    )
    return f"---\n{text}---\n\n{note.body.strip()}\n"


def with_front_matter(content: str, note: Note) -> str:
    """The file with the note's front matter and the text of `content` under it, byte for byte.

    The new front matter ends its lines as the old does.
    """
    head = serialise(replace(note, body="x")).removesuffix("\nx\n")
    mark = "\ufeff" if content.startswith("\ufeff") else ""
    bounds = _front_matter(content)
    if bounds is None:
        return mark + head + "\n" + content.removeprefix(mark)
    opening, text = bounds
    if content[:opening].endswith("\r\n"):
        head = head.replace("\n", "\r\n")
    return mark + head + content[text:]


def body(content: str) -> str:
    """The text under the front matter. Cheap: no YAML is read."""
    bounds = _front_matter(content)
    return (content[bounds[1] :] if bounds else content.removeprefix("\ufeff")).strip()


def _front_matter(content: str) -> tuple[int, int] | None:
    """(where the YAML begins, where the text under it does); None without front matter."""
    opening = _OPENING.match(content)
    closing = opening and _CLOSING.search(content, opening.end())
    return (opening.end(), closing.end()) if opening and closing else None


def clean(text: str) -> str:
    """Without what no note needs and what hides text: control and direction characters, lone surrogates."""
    return _UNSEEN.sub("", text)


def check_path(path: str) -> str:
    """The path as it is stored: NFC, lower case. InvalidMemory for what may not be a path."""
    found = unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).lower()).replace(
        " ", "-"
    )
    parts = found.split("/")
    if len(found) > PATH_LIMIT:
        raise InvalidMemory(f"path {found[:40]!r}… is longer than {PATH_LIMIT} characters")
    if not found.endswith(".md") or parts[0] not in ROOTS or len(parts) < 2:
        raise InvalidMemory(f"path {path!r} is not {'/…, '.join(ROOTS)}/… ending in .md")
    if (
        ".." in found
        or not all(re.fullmatch(r"\w[\w.-]*", part) for part in parts)
        or parts[-1] == ".md"
    ):
        raise InvalidMemory(f"path {path!r} has a part that is no plain lower-case name")
    return found


def scope_of(path: str, person: str, repository: str) -> str:
    """profile/ and tools/ belong to a person everywhere, project/ to one repository."""
    return f"repo:{repository}" if path.startswith("project/") else f"person:{person}"


def scope_key(scope: str) -> str:
    """The scope as one lower-case word, for the Lucene query: a colon or slash would be syntax there."""
    return "s" + hashlib.sha256(scope.encode()).hexdigest()[:16]


def path_words(path: str) -> str:
    """The path as words that the full-text index can find."""
    return " ".join(re.split(r"[/_.-]+", path.removesuffix(".md"))).strip()


def evidence_notes(evidence: list[Evidence]) -> list[str]:
    """One line per session, e.g. "<harness> session 91ec7bed, 2026-11-29"."""
    return [
        f"{_label(item['client'])} session {item['session'][:8]}, {item['date']}"
        for item in evidence
    ]


def expires(note: Note) -> str | None:
    """YYYY-MM-DD from which the note is no longer recalled: the front matter key `expires`, which a person may add.

    It is kept, listed and shown to the dream all the same. None: never, or it is no date.
    """
    return day(_line(note.extra.get(EXPIRES)))


def day(text: str) -> str | None:
    """YYYY-MM-DD of a text that is a date, else None."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        return None


def _label(client: str) -> str:
    from dreamhook import harness

    try:
        return harness.get(client).LABEL
    except (
        harness.UnknownClient,
        ImportError,
    ):  # an event of a harness that this version no longer knows
        return client.replace("_", " ").title()


def _evidence(item: dict[Any, Any]) -> Evidence:
    return Evidence(
        client=_line(item.get("client")),
        session=_line(item.get("session")),
        date=_line(item.get("date")),
        events=[_line(event) for event in _list(item.get("events"))],
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _one_or_more(value: Any) -> list[Any]:
    """A list as it is; a single value, as a person may write it, as a list of it."""
    return (
        []
        if value in (None, "") or isinstance(value, dict)
        else value
        if isinstance(value, list)
        else [value]
    )


def _line(value: Any) -> str:
    """One line of text; YAML may have made a date or a number of it."""
    return "" if value is None else " ".join(str(value).split())


def _dumper() -> Any:
    import yaml

    # PyYAML takes its rules from a class, and changing SafeDumper itself would change it for everyone.
    dumper = type("Dumper", (yaml.SafeDumper,), {})

    def text(dumper: Any, value: str) -> Any:
        # Readers that are not YAML parsers cut plain values at '#' or ':'. A line of its own must not be '---'.
        style = (
            None if re.fullmatch(r"[A-Za-z]\w*", value) else '"' if _BREAKS.search(value) else "'"
        )
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    dumper.add_representer(str, text)  # type: ignore[attr-defined]
    dumper.ignore_aliases = lambda *_: True  # type: ignore[attr-defined]
    return dumper
