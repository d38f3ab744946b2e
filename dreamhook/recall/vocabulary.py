"""What is known of words before any store is asked: which tell nothing, which are short for others."""

from pathlib import Path

from dreamhook.recall.stem import stem as _stem

FOLDER = Path(__file__).with_name("words")


def _lines(name: str) -> list[str]:
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


SILENT = frozenset(" ".join(_lines("silent")).split())
LONG = dict(line.split() for line in _lines("short"))


def stem(word: str) -> str:
    """The stem of a lower-case word, an abbreviation counting as what it stands for."""
    return _stem(LONG.get(word, word))
