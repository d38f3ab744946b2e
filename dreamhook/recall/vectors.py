"""The vectors of notes, kept between runs in one file: a note's key to its parts' vectors, as bytes."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from dreamhook import paths
from dreamhook.recall.embedding import DIMENSIONS, NAME, Unusable

SCHEMA = """
CREATE TABLE IF NOT EXISTS model (name TEXT, dimensions INTEGER);
CREATE TABLE IF NOT EXISTS vectors (note BLOB PRIMARY KEY, parts BLOB) WITHOUT ROWID;
"""


def path() -> Path:
    return Path(paths.state_file(paths.VECTORS))


def opened() -> sqlite3.Connection:
    """The kept vectors. Raises Unusable when they are another model's: comparing with those would find anything."""
    place = path()
    paths.make_private(str(place.parent))
    file = sqlite3.connect(place, timeout=5, check_same_thread=False)
    try:
        os.chmod(place, 0o600)
        file.executescript(f"PRAGMA secure_delete = ON; {SCHEMA}")
        with file:
            known = file.execute("SELECT name, dimensions FROM model").fetchone()
            if known is None:
                file.execute("INSERT INTO model VALUES (?, ?)", (NAME, DIMENSIONS))
    except sqlite3.Error as error:
        file.close()
        raise Unusable(
            f"{place} cannot be read ({error}); remove it, and it is made anew"
        ) from error
    if known not in (None, (NAME, DIMENSIONS)):
        file.close()
        name, dimensions = known
        raise Unusable(
            f"{place} holds vectors of {name} ({dimensions} dimensions), the model is {NAME} ({DIMENSIONS}): "
            "remove the file, and they are made anew"
        )
    return file


def forget() -> None:
    """Remove every kept vector: from a vector, much of a text can be guessed."""
    if path().exists():
        with closing(sqlite3.connect(path(), timeout=5)) as file:
            file.executescript(f"PRAGMA secure_delete = ON; {SCHEMA} DELETE FROM vectors; VACUUM;")


def read(file: sqlite3.Connection, note: bytes) -> bytes | None:
    row = file.execute("SELECT parts FROM vectors WHERE note = ?", (note,)).fetchone()
    return row[0] if row else None


def write(file: sqlite3.Connection, note: bytes, parts: bytes) -> None:
    with file:
        file.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", (note, parts))
