"""A text's telling terms: lower case, identifiers taken apart, stems, no words that tell nothing.

Lucene's `english` analyzer does the searching; these terms judge what it found, so both sides of that judgement go
through the same cuts and Lucene's own need not be copied.
"""

import re
from collections.abc import Iterator

from dreamhook.recall.vocabulary import SILENT, plain, stem

WORD = re.compile(r"\w+", re.UNICODE)
CAMEL = re.compile(
    r"(?<=[A-Za-z0-9][a-z0-9])(?=[A-Z])|(?<=[a-z0-9])(?=[A-Z](?![A-Z]))|(?<=[A-Z])(?=[A-Z][a-z])"
)
"""Where an identifier has a joint. None in one small letter before capitals: iOS, gRPC, eBPF."""
DOTTED = re.compile(r"\b[A-Za-z]\w*(?:\.\w+)*\.[A-Za-z]\w*\b", re.ASCII)
"""`app.py`, `spring.datasource.url`: the index knows such a run as one word."""
CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")
CJK_SILENT = re.compile(
    "没问题|谢谢|多谢|没事|了解|明白"
    "|为什么|什么|怎么|怎样|如何|是否|可以|一下|请问|我们|你们|他们|这个|那个|今天|昨天|昨晚|现在|解释|继续|好的|帮我|看看|原因"
    "|ありがとうございます|ありがとう|続けて|いいえ|調べて|調べ|教えて|お願い|どうして|ください|して|ます|です|した|する|から|まで"
    "|감사합니다|고마워요|고마워|아니요|계속해줘|계속해|계속|하고|입니다|합니다|그리고|[のをはがにでともへ的了是在和吗呢请也都就要把被]"
)
HEAD, TAIL = 8_000, 4_000
"""Characters of a long text that are looked at: what a person says of a paste stands before or after it."""
LONGEST = 40
FIRST, LAST = 300, 100
"""Words of a prompt."""


def terms(text: str) -> list[str]:
    """Distinct stems of these words, in order of appearance."""
    return list(dict.fromkeys(stem(word) for word in words(text)))


def tokens(text: str) -> list[str]:
    """The stems of all telling words, as often as they are said."""
    return [stem(word) for word in _words(text)]


def compounds(text: str) -> list[str]:
    """Identifiers of more than one part, as they stand and as often as they are said."""
    found = (
        word for word in WORD.findall(plain(_ends(text))) if len(word) <= LONGEST and word.isascii()
    )
    return [word for word in found if "_" in word.strip("_") or CAMEL.search(word)]


def joined(compound: str) -> str:
    """`flushLedgerQueue`, `flush_ledger_queue` → `flushledgerqueue`: people write `graphql` for GraphQL."""
    return compound.replace("_", "").lower()


def words(text: str) -> list[str]:
    """Distinct telling words as they stand, lower case, in order; of very many the first and the last."""
    found = list(dict.fromkeys(_words(text)))
    return found if len(found) <= FIRST + LAST else found[:FIRST] + found[-LAST:]


def identifiers(text: str, limit: int = 20) -> list[str]:
    """Distinct identifiers of more than one part, whole and lower case: `import_orders`, `httpserver`, `app.py`."""
    found: dict[str, None] = {}
    for word in (*WORD.findall(text[:HEAD]), *DOTTED.findall(text[:HEAD])):
        if "." in word:
            found[word.lower()] = None
        elif (
            word.isascii()
            and 5 < len(word) <= 60
            and (CAMEL.search(word) or "_" in word.strip("_"))
        ):
            found[word.lower()] = None
            if len(found) == limit:
                break
    return list(found)


def weight(term: str) -> float:
    """How telling a term is by its shape, 0.3 to 1: short numbers least."""
    if term.isdigit():
        return 0.3 if len(term) < 3 else 0.7
    return 1.0


def _words(text: str) -> Iterator[str]:
    """CJK runs as bigrams, identifiers in parts."""
    for word in WORD.findall(plain(_ends(text))):
        for piece in word.split("_"):
            for part in CAMEL.split(piece) if not piece.islower() else (piece,):
                yield from _telling(part)


def _ends(text: str) -> str:
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n{text[-TAIL:]}"


def _telling(part: str) -> Iterator[str]:
    for run in CJK.findall(part):
        for piece in CJK_SILENT.split(run):
            for i in range(max(1, len(piece) - 1) if piece else 0):
                yield piece[i : i + 2]
    for word in CJK.sub(" ", part).lower().split():
        if word not in SILENT and (len(word) > 1 or not word.isascii()) and len(word) <= LONGEST:
            yield word
