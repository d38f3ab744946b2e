"""The part of a long note that a prompt is about."""

from collections.abc import Sequence

from dreamhook.recall.tokenise import terms

CUT = "\n(a section; `dreamhook memory show` prints the whole note)"
LEAST = 200


def section(text: str, matched: Sequence[str], characters: int) -> str:
    """The paragraph with most of the matched terms and what follows it, up to so many characters, and says so."""
    characters = max(LEAST, characters)
    if len(text) <= characters:
        return text
    paragraphs = [part for part in text.split("\n\n") if part.strip()]
    wanted = set(matched)
    best = max(
        range(len(paragraphs)),
        key=lambda i: (len(wanted & set(terms(paragraphs[i]))), -i),
        default=0,
    )
    part = "\n\n".join(paragraphs[best:])
    room = characters - len(CUT)
    if len(part) > room:
        part = part[: _end(part, room)]
    return part + CUT


def _end(text: str, room: int) -> int:
    """After a whole line or word, unless that would give up more than half: Chinese and code may have none."""
    return next((at for sign in "\n " if (at := text.rfind(sign, 0, room)) > room // 2), room)
