"""Makes a memory's text safe to stand in a prompt: data that cannot pass itself off as the frame around it.

Every pattern takes time linear in the text: a repeat before something that may be missing is possessive (`*+`), and
one at the beginning of a line stays in that line. A note is cleaned while a prompt waits for it.
"""

import re
import unicodedata

from dreamhook import harness

BREAK = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
"""What reads as the end of a line, and would hide a line from LINE."""
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?")
SAME = (
    {full: full - 0xFEE0 for full in range(0xFF01, 0xFF5F)}
    | dict.fromkeys([0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " ")
    | {0xFE64: "<", 0xFE65: ">", 0xFE55: ":", 0x2236: ":", 0xFE5F: "#"}
)
"""Full-width and small forms of ASCII, and spaces of any width: read as the plain ones, so judged as those."""

CODE = r"(?!(?<=\w)<(?-i:[A-Z][a-z])[\w.]*+ ?[>,<‹\[\])&|?*]|<[ \t]++[\w-]*+[./]\w)"
"""`Promise<User>` is a type and `< users.csv` names a file: neither is a tag of a harness's."""
NAMES = (
    r"(?:dreamhook|system|assistant|user|human|hook)"
    # The harnesses' own, and how a model is shown what its tools said.
    rf"|(?:{'|'.join(sorted(harness.named('TAGS')))}|(?:start|end)_of_turn"
    r"|(?:function|tool)[_-](?:calls?|results?|uses?|responses?|outputs?))(?![\w.-])"
    r"|antml:|<?sys>>|\|[^\s|<>]{1,40}\|>"
)
TAG = re.compile(rf"{CODE}<(?=\s*+(?:/\s*+)?(?:{NAMES}))|\[(?=/?(?-i:INST)\])", re.IGNORECASE)
ROLE = r"(?:#{1,6}[ \t]*+)?[*_~`]*+(?:system|assistant|human|user|developer)[*_~`]*+\s*+:"
NOTE = (
    r"#{1,6}[ \t]*+[*_`]*+(?:profile|tools|project)/\S*\.md[*_`]*+[ \t]*+(?:[-–—―:|]|$)"
    r"|[*_]*+\([ \t]*+evidence[ \t]*+:"
)
"""How wording.py begins a note: a heading of its path and title, then its evidence."""
LINE = re.compile(rf"^(?=[ \t>]*+(?:{ROLE}|{NOTE}))", re.IGNORECASE | re.MULTILINE)


def neutralise(text: str) -> str:
    """No control or bidi characters, no terminal codes, no tag, role line or head of a note that imitates a real one.

    A second time changes nothing more.
    """
    text = BREAK.sub("\n", ANSI.sub("", text))
    text = "".join(
        letter
        for letter in text
        if letter in "\n\t" or unicodedata.category(letter) not in ("Cc", "Cf", "Cs")
    )
    return _marked(LINE, "| ", _marked(TAG, "‹", text))


def _marked(pattern: re.Pattern[str], sign: str, text: str) -> str:
    """With the sign instead of what the pattern takes; all else stays in the width that it was written in."""
    pieces, done = [], 0
    for found in pattern.finditer(text.translate(SAME)):
        pieces += [text[done : found.start()], sign]
        done = found.end()
    return "".join([*pieces, text[done:]])
