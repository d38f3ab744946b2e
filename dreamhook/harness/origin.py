"""Which conversation a forked one continues, as far as its harness tells: in its payload, or in the file it keeps."""

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

RECORDS = 40
LONGEST = 1 << 20
"""Characters of one record; Codex's first holds the whole instructions, about 20,000."""


class Origin(NamedTuple):
    """Nothing known: both empty."""

    session_id: str = ""
    answered_s_ago: float | None = None
    """When the parent's model last answered, before the fork: enough to find it where its id is not told."""


NOWHERE = Origin()


def records(payload: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The first objects of the conversation's own file (JSON lines); none when there is no such file yet."""
    path = payload.get("transcript_path")
    if not isinstance(path, str) or not path:
        return
    try:
        if not Path(path).is_file():  # reading a pipe would wait
            return
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in islice(iter(lambda: file.readline(LONGEST), ""), RECORDS):
                record = _parsed(line)
                if isinstance(record, dict):
                    yield record
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
