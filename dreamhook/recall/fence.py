"""Makes a memory's text safe to stand in a prompt: data that cannot pass itself off as the frame around it."""

import re
import unicodedata

LOOK_ALIKE = re.compile(
    r"<(?=\s*/?\s*(?:dreamhook|system|persisted-output|assistant|user|human|hook)[\w-]*)", re.IGNORECASE
)
ROLE = re.compile(r"^(?=\s*(?:system|assistant|human|user|developer)\s*:)", re.IGNORECASE | re.MULTILINE)
BREAK = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
"""What reads as the end of a line, and would hide a role line from ROLE."""
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?")


def neutralise(text: str) -> str:
    """No control or bidi characters, no terminal codes, no tag or role line that imitates the harness's own."""
    text = BREAK.sub("\n", ANSI.sub("", text))
    text = "".join(
        letter for letter in text if letter in "\n\t" or unicodedata.category(letter) not in ("Cc", "Cf", "Cs")
    )
    return ROLE.sub("| ", LOOK_ALIKE.sub("‹", text))
