"""Remembers that a text was forgotten, without remembering the text.

Kept is a hash under this installation's key (scrub.key): whoever has the store alone can test no guesses with it.
The price: another installation on the same store, with another key, does not know the text.
"""

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from dreamhook.store.query import Store

SHORTEST = 6
"""Letters and digits. A shorter text would be found everywhere."""
MARK = "[forgotten]"
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Forgotten:
    """Number of words → hashes of texts of that length."""

    hashes: dict[int, frozenset[str]]
    key: bytes


def of(text: str, key: bytes) -> dict[str, Any] | None:
    """`text_hash` and `words` of a text; None when it is too short to be known again."""
    words = _words(text)
    return (
        {"text_hash": _hash(words, key), "words": len(words)}
        if len("".join(words)) >= SHORTEST
        else None
    )


def load(store: Store, person: str, key: bytes) -> Forgotten:
    """A person's forgotten texts. Raises the driver's errors."""
    hashes: dict[int, frozenset[str]] = {}
    for record in store.read("forget_texts", person=person):
        hashes[record["words"]] = hashes.get(record["words"], frozenset()) | {record["text_hash"]}
    return Forgotten(hashes, key)


def without(forgotten: Forgotten, text: str) -> str:
    """The text with every passage replaced that says, word for word and in any case, what was forgotten."""
    if not forgotten.hashes:
        return text
    places = [found.span() for found in _WORD.finditer(text)]
    words = _words(text)
    parts, at = [], 0
    for start in range(len(words)):
        count = _known(forgotten, words, start)
        if count and places[start][0] >= at:
            parts += [text[at : places[start][0]], MARK]
            at = places[start + count - 1][1]
    return "".join([*parts, text[at:]])


def _known(forgotten: Forgotten, words: list[str], start: int) -> int:
    """How many words from here on are a forgotten text, the longest if several are."""
    for count in sorted(forgotten.hashes, reverse=True):
        if (
            start + count <= len(words)
            and _hash(words[start : start + count], forgotten.key) in forgotten.hashes[count]
        ):
            return count
    return 0


def _words(text: str) -> list[str]:
    return [unicodedata.normalize("NFKC", found[0]).casefold() for found in _WORD.finditer(text)]


def _hash(words: list[str], key: bytes) -> str:
    return hashlib.blake2b(
        " ".join(words).encode("utf-8", "surrogatepass"), key=key[:64], digest_size=16
    ).hexdigest()
