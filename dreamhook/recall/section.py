"""The part of a long note that a prompt is about."""

from collections.abc import Sequence

from dreamhook.recall.terms import terms

CUT = "\n(a section; `dreamhook memory show` prints the whole note)"
LEAST = 200


def section(text: str, matched: Sequence[str], characters: int) -> str:
    """The paragraph with most of the matched terms and what follows it, up to so many characters, and says so."""
    characters = max(LEAST, characters)
    if len(text) <= characters:
        return text
    paragraphs = [part for part in text.split("\n\n") if part.strip()]
    wanted = set(matched)
    best = max(range(len(paragraphs)), key=lambda i: (len(wanted & set(terms(paragraphs[i]))), -i), default=0)
    part = "\n\n".join(paragraphs[best:])
    if len(part) > characters:
        part = part[:characters]
        part = part.rsplit("\n", 1)[0] if "\n" in part else part.rsplit(" ", 1)[0]
    return part + CUT
