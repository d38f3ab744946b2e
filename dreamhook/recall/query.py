"""A prompt as a Lucene query: the permitted scopes required, one telling word in any field suffices.

Whatever the text, the query is valid: words are letters and digits, identifiers add the underscore and the dot between
two words, nothing else is passed on, and the words AND, OR and NOT are lower case.
"""

import re
import unicodedata
from collections.abc import Sequence

from dreamhook.recall.idf import UNKNOWN, Rarity
from dreamhook.recall.scopes import Scopes
from dreamhook.recall.stem import stem as cut
from dreamhook.recall.tokenise import CJK, HEAD, WORD, identifiers, words
from dreamhook.recall.vocabulary import ACCENTED, LONG, SILENT, plain, stem

WORDS, CLAUSES = 40, 120
"""Of one text, and for all: Lucene takes 1,024 clauses, and each stands there for each field."""
BOOST = {
    "title": 3,
    "path_words": 2,
    "description": 2,
    "cues": 3,
    "content": 1,
    "identifier_words": 1,
}
HANGUL = re.compile(r"[\uac00-\ud7af]+")
KATAKANA = re.compile(r"[\u30a0-\u30ff]{2,}")
EVENT_FIELDS = ("prompt", "assistant_text", "tool_input", "error", "message")
HASHED = re.compile(r".+-([0-9a-f]{12})", re.DOTALL)
REPOSITORIES = 200


def memory_query(texts: Sequence[str], scopes: Scopes, rarity: Rarity = UNKNOWN) -> str:
    """For a prompt, and what in it is a question by itself; "" when none of them asks anything."""
    clauses = list(
        dict.fromkeys(clause for text in texts for clause in lucene_words(text, rarity))
    )[:CLAUSES]
    if not clauses:
        return ""
    fields = " ".join(f"{field}:({' '.join(clauses)})^{boost}" for field, boost in BOOST.items())
    return f"+scope_key:({' '.join(scopes.keys)}) +status:current +({fields})"


def event_query(text: str, repositories: Sequence[str] | None = None) -> str:
    """The same over the raw record, "" when it asks nothing.

    Repositories are required by the hash that ends their ids: a name is of words, which the index may know as silent.
    The statement looks at the whole id, and at whose events these are.
    """
    clauses = lucene_words(text)
    if not clauses:
        return ""
    fields = " ".join(f"{field}:({' '.join(clauses)})" for field in EVENT_FIELDS)
    hashes = [found[1] if (found := HASHED.fullmatch(one)) else "" for one in repositories or ()]
    if not hashes or not all(hashes) or len(hashes) > REPOSITORIES:
        return fields
    return f"+repository:({' '.join(hashes)})^0 +({fields})"  # ^0: where it was said makes nothing more telling


def lucene_words(text: str, rarity: Rarity = UNKNOWN) -> list[str]:
    """Query clauses of the most telling words: as they stand, by beginning where Lucene has no stems."""
    clauses: dict[str, None] = {}
    for word in _most_telling(words(text), rarity):
        if HANGUL.match(word):
            clauses[f"{word}*"] = None  # Lucene keeps a Korean word with its particles
        elif CJK.match(word):
            clauses[f'"{word}"'] = None  # and takes Chinese apart into single characters
        elif word.isascii():
            clauses[word] = None
            if word in LONG:
                clauses[LONG[word]] = None
        else:
            stump = cut(word)
            clauses[f"{stump}*" if len(stump) > 2 else word] = None
    for name in (*identifiers(text), *KATAKANA.findall(text)[:5], *_accented(text)):
        clauses[name] = None
    return list(clauses)


def _accented(text: str) -> list[str]:
    """Words as they stand: the index has them with their accents."""
    if text.isascii():
        return []
    found = WORD.findall(unicodedata.normalize("NFC", text[:HEAD]).lower())
    return [
        word for word in dict.fromkeys(found) if ACCENTED.search(word) and plain(word) not in SILENT
    ][:10]


def _most_telling(found: Sequence[str], rarity: Rarity) -> list[str]:
    """Among equals the first said and the last: what a person says of a paste stands before or after it."""
    last = len(found) - 1
    order = sorted(
        range(len(found)), key=lambda i: (-rarity.of(stem(found[i])), min(i, 3 * (last - i)))
    )
    return [found[i] for i in sorted(order[:WORDS])]
