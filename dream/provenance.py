"""What code can know about whose words a note is made of: text that tells an agent what to do needs the user's.

Four things are known for certain: which events a change cites, whose words each event holds, which runs of words the
note shares with a tool's output, and whether a sentence has the form of an instruction in one of some twenty
languages. A paraphrase in a form that is not listed passes; it then is a note marked as unconfirmed, never a rule.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path

from dream.chunk import Source
from dream.evidence import Rejected
from dreamhook.memory.note_file import Note

BINDING = ("rule", "preference")
"""Kinds that tell an agent what to do: what a file or a tool says must never become one."""
ORIGIN = "origin"
UNCONFIRMED = "seen in tool output or files only; not confirmed by the person"
RUN = 5
"""Words in a row that are not the same by chance."""
RUN_SIGNS = 12
"""The same for scripts without spaces."""
STEM = 5
_ADDRESS = re.compile(
    r"https?://[^\s)>\]`\"']+|\b[\w.+-]+@[\w-]+\.[\w.]+|\b(?:\d{1,3}\.){3}\d{1,3}\b"
)
_PIPE = re.compile(
    r"\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b|\b(?:rm\s+-rf|chmod\s+777|--no-verify|base64\s+-d)\b"
)
_WIDE = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def judge(
    note: Note, path: str, sources: list[Source], everything: Iterable[Source], before: Note | None
) -> str:
    """The mark this note needs, or "" for none. `everything`: all that the request showed. Raises Rejected."""
    binds = binding(path, note.kind) or (before is not None and binding(path, before.kind))
    said = "\n".join(source.text for source in sources if source.own_words)
    stood = "\n".join([before.title, before.description, before.body]) if before else ""
    new = [line for line in _sentences(_text(note)) if line not in stood]
    if binds and not said:
        what = "profile/" if path.startswith("profile/") else "a rule or preference"
        raise Rejected(f"{what} needs the user's own words as evidence")
    mine = _plain(said + "\n" + stood)
    foreign = [_plain(one.text) for one in everything if one.who in ("tool", "result", "prompt")]
    spoken_of = [
        one.who for one in sources if one.who in ("user", "agent") and _speaks_of(one.text, note)
    ]
    planted = [line for line in new if _matches("injection", line)]
    for line in planted:
        if not spoken_of or _is_copied(line, foreign, mine):
            raise Rejected(f"it reads like an instruction planted for a model: {line[:80]!r}")
    orders = planted + [line for line in new if _matches("instruction", line)]
    if binds:
        _backed(
            note, new, said, stood, [line for line in orders if _is_copied(line, foreign, mine)]
        )
        return ""
    if orders and not spoken_of:
        if not any(one.who in ("user", "agent") for one in sources):
            raise Rejected(f"an instruction that only a tool or a file gave: {orders[0][:80]!r}")
        return UNCONFIRMED
    copied = [line for line in new if _is_copied(line, foreign, mine)]
    ordered = any(line in copied for line in orders)
    confirmed = spoken_of or any(one.who == "result" for one in sources)
    return UNCONFIRMED if ordered or len(copied) * 2 > len(new) or not confirmed else ""


def binding(path: str, kind: str) -> bool:
    return path.startswith("profile/") or kind in BINDING


def _backed(note: Note, new: list[str], said: str, stood: str, copied: list[str]) -> None:
    if copied:
        raise Rejected(
            f"its words come from a tool's output, not from the user: {copied[0][:80]!r}"
        )
    for line in new:
        for found in [*_ADDRESS.findall(line), *_PIPE.findall(line)]:
            if found not in said and found not in stood:
                raise Rejected(f"a rule with {found[:60]!r}, which the user did not say")
    if not stood and not _speaks_of(said, note):
        raise Rejected("the user's words that it cites do not say this")


def _speaks_of(text: str, note: Note) -> bool:
    """Whether a text and a note have anything to do with each other, as far as words can tell."""
    spoken = stems(text)
    shared = spoken & stems(_text(note))
    return not spoken or len(shared) >= 2 or len(shared) * 3 > len(spoken)


def stems(text: str) -> frozenset[str]:
    """What a text is about, roughly: beginnings of its longer words, pairs of signs where a script has no spaces."""
    plain = _plain(text)
    words = {word[:STEM] for word in re.findall(r"[^\W_]{3,}", plain) if not _WIDE.search(word)}
    wide = "".join(_WIDE.findall(plain))
    return frozenset(
        words - _common() | {wide[start : start + 2] for start in range(len(wide) - 1)}
    )


def _is_copied(line: str, foreign: Collection[str], mine: str) -> bool:
    """Whether a run of the line's words stands in foreign text and not in the person's own."""
    return any(
        run not in mine and any(run in text for text in foreign) for run in _runs(_plain(line))
    )


def _runs(plain: str) -> list[str]:
    if len(_WIDE.findall(plain)) > len(plain) // 3:
        return [
            plain[start : start + RUN_SIGNS] for start in range(max(1, len(plain) - RUN_SIGNS + 1))
        ]
    words = plain.split()
    count = min(RUN, len(words))
    return (
        [" ".join(words[start : start + count]) for start in range(len(words) - count + 1)]
        if count > 2
        else []
    )


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.findall(r"[\w./:@-]+", folded))


def _text(note: Note) -> str:
    return "\n".join([note.title, note.description, *note.cues, note.body])


def _sentences(text: str) -> list[str]:
    parts = re.split(r"\n+|(?<=[.!?;。！？；])\s*", text)
    return [part.strip(" -*#>\t`") for part in parts if part.strip(" -*#>\t`")]


def _matches(which: str, line: str) -> bool:
    return bool(_pattern(which).search(unicodedata.normalize("NFKC", line)))


@cache
def _pattern(which: str) -> re.Pattern[str]:
    """One pattern of all lines of a section of words.txt."""
    return re.compile("|".join(f"(?:{line})" for line in _words(which)), re.IGNORECASE)


@cache
def _common() -> frozenset[str]:
    return frozenset(word[:STEM] for line in _words("common") for word in line.split())


@cache
def _words(which: str) -> tuple[str, ...]:
    text = Path(__file__).with_name("words.txt").read_text(encoding="utf-8")
    section = text.split(f"[{which}]\n", 1)[1].split("\n[", 1)[0]
    return tuple(line for line in section.splitlines() if line and not line.startswith("#"))
