"""What is known of words before any store is asked: which tell nothing, which are short for others."""

import re
import unicodedata
from pathlib import Path

from dreamhook.recall.stem import stem as _stem

ACCENTED = re.compile("[\u00c0-\u024f\u1e00-\u1effЁё]")
FOLDER = Path(__file__).with_name("words")


def _lines(name: str) -> list[str]:
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def plain(text: str) -> str:
    """One form of each letter: composed, of usual width, Latin ones without their accents, `е` for `ё`."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", text)
    return ACCENTED.sub(lambda found: unicodedata.normalize("NFD", found[0])[0], text)


SILENT = frozenset(plain(" ".join(_lines("silent"))).split())
LONG = dict(line.split() for line in _lines("short"))


def stem(word: str) -> str:
    """The stem of a lower-case word, an abbreviation counting as what it stands for."""
    return _stem(LONG.get(word, word))
