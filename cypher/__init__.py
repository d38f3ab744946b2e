"""Every statement, one per file; the loader lives in the folder it loads.

A file begins with `// purpose`, then `// parameters: a, b` (or `none`). Declared and used parameters are
compared when the file is loaded, so a slip fails at start and not in the night.
"""

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
HEAD = re.compile(r"// (?P<purpose>.+)\n// parameters: (?P<parameters>.+)\n")
PARAMETER = re.compile(r"\$([A-Za-z_]\w*)")


@cache
def statement(name: str) -> str:
    """The text of `<name>.cypher`. FileNotFoundError or ValueError (with the file's name) when it is not right."""
    text = (FOLDER / f"{name}.cypher").read_text(encoding="utf-8")
    head = HEAD.match(text)
    if not head:
        raise ValueError(f"cypher/{name}.cypher: begins with '// purpose' and '// parameters: …'")
    declared = (
        set()
        if head["parameters"] == "none"
        else set(re.split(r",\s*", head["parameters"].strip()))
    )
    used = set(PARAMETER.findall(text[head.end() :]))
    if declared != used:
        raise ValueError(
            f"cypher/{name}.cypher: declares {sorted(declared)} but uses {sorted(used)}"
        )
    return text


@cache
def mapped(name: str) -> str:
    """The statement with all its parameters in one map, `$p`, for what somebody waits for.

    Neo4j plans a statement anew for a text or list of another size class (powers of ten) and for null in place of a
    value: 100 to 170 ms each, measured on a fresh 5.26. For a map it plans once.
    """
    return PARAMETER.sub(r"$p.\1", statement(name))


def names() -> list[str]:
    """All statements but the schema's, sorted."""
    return sorted(file.stem for file in FOLDER.glob("*.cypher"))


def migrations() -> list[tuple[int, str, list[str]]]:
    """(version, file name, statements) of schema/V0001__….cypher, in order; statements end with `;` at a line's end."""
    found = []
    for file in sorted((FOLDER / "schema").glob("V*.cypher")):
        lines = [
            line
            for line in file.read_text(encoding="utf-8").splitlines()
            if not line.startswith("//")
        ]
        parts = [part.strip() for part in re.split(r";\s*$", "\n".join(lines), flags=re.MULTILINE)]
        found.append((int(file.stem[1:5]), file.name, [part for part in parts if part]))
    return found
