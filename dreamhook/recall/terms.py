"""A text's telling terms: lower case, identifiers taken apart, light stems, no words that tell nothing.

Lucene's `english` analyzer does the searching; these terms make its query and judge what it found, so both sides
of that judgement use the same stems and Lucene's own need not be copied.
"""

import re
from functools import lru_cache

WORD = re.compile(r"[^\W_]+", re.UNICODE)
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+")

SILENT = frozenset(
    """
    a about above after again against ago all almost alone also although always am an and another any anybody
    anyone anything anyway are aren around as ask at away back be became because been before being below best
    better between both but by came can cannot cant come could couldn day days did didn do does doesn doing don
    done dont down during each either else enough etc even ever every everything few find first for found from
    full further gave get gets getting give given gives go goes going gone good got had has hasn have haven
    having he hello help her here hers hey hi him his how however i if im in instead into is isn it its itself
    just keep know known last later least let lets like little long look looking lot made make makes many may
    maybe me mean might mind mine more most much must my need needs never new next nice no nor not nothing now
    of off often ok okay old on once one only onto or other our out over own part please possible put quite
    rather re really right said same say see seem seems shall she should shouldn show since so some someone
    something soon still such sure take tell than thank thanks that the their them then there these they thing
    things think this those though through time to today together tomorrow too try trying two under until up
    upon us use used uses using usually ve very want wants was wasn way we well went were weren what whatever
    when where whether which while who whole whom whose why will with within without won would wouldn yes
    yesterday yet you your yours happen happens happened anything explain describe continue proceed start work
    works working
    """.split()
)
COMMON = frozenset(
    """
    add app application build bug change check class code command commit config create current data delete error
    example fail fails failing failed failure feature file files fix function implement import improve issue
    line list message method module name number page problem project question read refactor remove rename repo
    repository result return review run script server set setting source string system task test tests text todo
    type update user value version write
    """.split()
)
"""Words that a developer says of nearly everything: they weigh little."""


def terms(text: str, limit: int = 400) -> list[str]:
    """Distinct stems of the telling words, in order of appearance."""
    return list(dict.fromkeys(stem(word) for word in words(text, limit)))


def words(text: str, limit: int = 400) -> list[str]:
    """Distinct telling words as they stand, lower case, in order: CJK runs as bigrams, identifiers in parts."""
    found: dict[str, None] = {}
    for word in WORD.findall(text):
        for piece in CAMEL.split(word) if not word.islower() else (word,):
            for run in CJK.findall(piece):
                for i in range(max(1, len(run) - 1)):
                    found[run[i : i + 2]] = None
            for part in CJK.sub(" ", piece).lower().split():
                if part not in SILENT and (len(part) > 1 or not part.isascii()) and len(part) <= 40:
                    found[part] = None
        if len(found) >= limit:
            break
    return list(found)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """One form for a word's plural, past and -ing: `retries`, `retried`, `retrying` → `retri`. Ids stay as they are."""
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    for ending, into in (
        ("ies", "i"),
        ("sses", "ss"),
        ("ing", ""),
        ("ied", "i"),
        ("ed", ""),
        ("es", ""),
        ("s", ""),
        ("ly", ""),
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)] + into
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiousl":
        word = word[:-1]
    if word.endswith("y"):
        word = word[:-1] + "i"
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def weight(term: str) -> float:
    """How telling a term is before the store is asked: identifiers more, words said of everything less."""
    if term in _COMMON_STEMS:
        return 0.35
    return 1.25 if any(letter.isdigit() for letter in term) and not term.isdigit() else 1.0


_COMMON_STEMS = frozenset(stem(word) for word in COMMON)
