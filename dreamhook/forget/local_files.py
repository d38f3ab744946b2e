"""What lies on this machine's disk of what a person wants forgotten: queue, answers kept for later, log."""

import gzip
import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from dreamhook import paths
from dreamhook.recall.idf import notes_changed
from dreamhook.repository import checkouts, pause
from dreamhook.spool import reader
from dreamhook.times import timestamp

FOLDERS = ("bad", "expired", "tmp", "new")
WRITING_S = 60
"""A file in tmp/ younger than this may be in a hook's hands."""


@dataclass(frozen=True)
class Wish:
    """What to forget: everything that meets all conditions given."""

    session: str | None = None
    repository: str | None = None
    path: str | None = None
    """Absolute."""
    since: str | None = None
    """ISO 8601, UTC, as in Event.timestamp."""
    match: str | None = None
    """A text, in any case."""

    def needles(self) -> list[str]:
        """The text in lower case, as it is and as JSON holds it."""
        if not self.match:
            return []
        low = self.match.lower()
        return list(dict.fromkeys([low, json.dumps(low, ensure_ascii=False)[1:-1]]))

    def is_match_alone(self) -> bool:
        """Then the text itself is meant, wherever it stands, and not only events of one time or place that hold it."""
        return bool(self.match) and not (self.session or self.repository or self.path or self.since)

    def is_whole_repository(self) -> bool:
        return bool(self.repository) and not (self.session or self.path or self.since or self.match)


def matching(wish: Wish) -> list[Path]:
    """Files of the queue, and of the log, that hold something of it. What cannot be parsed is judged by its bytes."""
    marks = _marks(wish)
    queued = (
        file
        for folder in FOLDERS
        for file in reader.files(folder)
        if folder != "tmp" or _is_left_over(file)
    )
    found = [file for file in queued if _holds(file, wish, marks)]
    if wish.is_match_alone():
        found += [file for file in _logs() if any(text in _read(file) for text in marks[-1])]
    return sorted(found)


def remove(wish: Wish, files: list[str]) -> None:
    """Delete those files, take lines that quote the text out of logs, and drop all packs: they are made anew."""
    logs = set(_logs())
    for name in files:
        with suppress(FileNotFoundError):
            if Path(name) in logs:
                _cut(Path(name), _marks(wish)[-1])
            else:
                os.unlink(name)
    pause.drop_packs()
    notes_changed()


def _marks(wish: Wish) -> list[list[str]]:
    """Per condition the texts of which one must occur, in lower case."""
    conditions = []
    if wish.repository:
        known = [
            one for one in checkouts.load().places.values() if one.repository == wish.repository
        ]
        conditions.append(
            [text.lower() for one in known for text in (one.place, one.claim)] or ["\0"]
        )
    conditions += [[text.lower()] for text in (wish.session, wish.path) if text]
    if wish.match:
        escaped = json.dumps(wish.match.lower())[1:-1].lower()
        conditions.append(list(dict.fromkeys([*wish.needles(), escaped])))
    return conditions


def _is_left_over(file: Path) -> bool:
    with suppress(OSError):
        return time.time() - file.stat().st_mtime > WRITING_S
    return False


def _holds(file: Path, wish: Wish, marks: list[list[str]]) -> bool:
    if wish.since:
        captured = re.match(r"\d{19,20}", file.name)
        moment = int(captured[0]) / 1e9 if captured else 0.0
        if timestamp(datetime.fromtimestamp(moment, UTC)) < wish.since:
            return False
    text = _read(file) if marks else ""
    return all(any(one in text for one in condition) for condition in marks)


def _read(file: Path) -> str:
    try:
        data = file.read_bytes()
        if file.suffix == ".gz":
            data = gzip.decompress(data)
    except (OSError, EOFError):
        return ""
    return data.decode("utf-8", "replace").lower()


def _logs() -> Iterator[Path]:
    yield from Path(paths.log_file()).parent.glob("*.log*")


def _cut(log: Path, needles: list[str]) -> None:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
    kept = "".join(line for line in lines if not any(needle in line.lower() for needle in needles))
    with open(
        log, "r+", encoding="utf-8"
    ) as stream:  # in place: the worker has it open for appending
        stream.write(kept)
        stream.truncate()
