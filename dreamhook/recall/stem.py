"""One form for all forms of a word: Porter's algorithm for English, as Lucene's `english` analyzer has it.

M. F. Porter, "An algorithm for suffix stripping", 1980. Words in other alphabets lose common endings only: which
language a word is of is not known, and both sides of a comparison go through here.
"""

import re
from functools import lru_cache

STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("abli", "able"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"),
)  # fmt: skip
STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", "")
)  # fmt: skip
STEP_4 = (
    "ement", "ance", "ence", "able", "ible", "ment", "sion", "tion", "ant", "ent", "ism", "ate", "iti", "ous", "ive",
    "ize", "al", "er", "ic", "ou",
)  # fmt: skip
CYRILLIC = re.compile(
    "(?:иями|ями|ами|иях|ться|тся|ях|ах|ов|ев|ие|ий|ия|ию|ии|ая|яя|ое|ее|ые|ой|ый|ем|ом|ам|ям|ую|ть|ет|ит|ют|ут|ся"
    "|у|ю|а|я|о|е|ы|и|ь)$"
)
OTHER = re.compile("(?:ern|est|en|er|es|em|e|n|s)$")


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The stem of a lower-case word: `retries`, `retried`, `retrying` → `retri`. Names with digits stay as they are."""
    if len(word) < 3 or not word.isalpha():
        return word
    if word.isascii():
        return _porter(word)
    if "\u0400" <= word[0] <= "\u04ff":
        return CYRILLIC.sub("", word) if len(word) > 3 else word
    return OTHER.sub("", word) if len(word) > 4 else word


def _porter(word: str) -> str:
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    for table in (STEP_2, STEP_3):
        for ending, into in table:
            if word.endswith(ending):
                if _measure(word.removesuffix(ending)) > 0:
                    word = word.removesuffix(ending) + into
                break
    for ending in STEP_4:
        if word.endswith(ending):
            shorter = word[:-3] if ending in ("sion", "tion") else word.removesuffix(ending)
            if _measure(shorter) > 1:
                word = shorter
            break
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _short(word[:-1])):
            word = word[:-1]
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return (
        word[:-1] + "i" if word.endswith("y") else word
    )  # not Porter's: `deployment` is a form of `deploy` too


def _plural(word: str) -> str:
    for ending, into in (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", "")):
        if word.endswith(ending):
            return word.removesuffix(ending) + into
    return word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        if word.endswith(ending) and _has_vowel(word.removesuffix(ending)):
            word = word.removesuffix(ending)
            if word.endswith(("at", "bl", "iz")):
                return word + "e"
            if len(word) > 1 and word[-1] == word[-2] and word[-1] not in "aeioulsz":
                return word[:-1]
            return word + "e" if _measure(word) == 1 and _short(word) else word
    return word


def _shape(word: str) -> str:
    """`v` for a vowel, `c` for a consonant; y is a vowel after a consonant."""
    shape = ""
    for letter in word:
        shape += "v" if letter in "aeiou" or (letter == "y" and shape.endswith("c")) else "c"
    return shape


def _measure(word: str) -> int:
    return len(re.findall("v+c+", _shape(word)))


def _has_vowel(word: str) -> bool:
    return "v" in _shape(word)


def _short(word: str) -> bool:
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"
