"""What a person says beside what they paste, and what an output complains of: a question by itself.

Judged with a page of log or code around it, no question covers anything (measured on tests/recall_set with 6 kB of log
under each prompt: right memories from .85 to .05 without this).
"""

import re

LONG = 600
"""Characters of a text from which on it is looked at in parts."""
MOST = 400
"""Characters of a part."""
LETTERS = 0.6
"""Share of letters and spaces in a line that a person types."""
COMPLAINTS = 3
FENCED = re.compile(r"^(```|~~~).*?(?:^\1|\Z)", re.MULTILINE | re.DOTALL)
MACHINE = re.compile(
    r"[\[({<}\])|#+*$>\s]|\d{2,4}[-:/.]\d\d|at\s+[\w$.<>]+\(|File \"|Traceback|Caused by|[\w$]+(?:\.[\w$]+)+:\s"
)
"""How lines begin that no person types: indented, of a log, a stack trace, a table, a shell."""
WIDE = re.compile(r"[\u2e80-\uffef]")
"""Scripts without spaces between words."""
COMPLAINT = re.compile(
    r"error|exception|fail|fatal|cannot|can't|denied|not found|refused|panic|abort|undefined", re.I
)


def said(prompt: str) -> list[str]:
    """The beginning and the end of a long prompt, as far as a person typed them; nothing of a short one."""
    if len(prompt) < LONG:
        return []
    lines = FENCED.sub("\n\n", prompt).strip().splitlines()
    first, last = _run(lines), _run(lines[::-1])[::-1]
    parts = ["\n".join(first)[:MOST], "\n".join(last)[-MOST:]]
    return [part for part in dict.fromkeys(parts) if part]


def complained(output: str) -> list[str]:
    """The last lines of a long output that tell of an error; nothing of a short one."""
    if len(output) < LONG:
        return []
    found = [line.strip()[:MOST] for line in output.splitlines() if COMPLAINT.search(line)]
    return list(dict.fromkeys(found[::-1]))[:COMPLAINTS]


def _run(lines: list[str]) -> list[str]:
    """What is typed before the first empty or machine-made line."""
    found: list[str] = []
    for line in lines:
        if not _is_typed(line):
            break
        found.append(line)
    return found


def _is_typed(line: str) -> bool:
    if not line.strip() or MACHINE.match(line):
        return False
    plain = sum(letter.isalpha() or letter == " " for letter in line)
    words = len(re.findall(r"[^\W\d_]+", line))
    return plain >= LETTERS * len(line) and (words > 1 or WIDE.search(line) is not None)
