"""What was installed here: installed.json in the configuration folder, the record that uninstalling reverses."""

import json
from pathlib import Path
from typing import TypedDict, cast

from dreamhook import paths
from dreamhook.files import replace_file
from dreamhook.install import backups


class Record(TypedDict):
    """One settings file."""

    client: str
    wrapper: str
    original: str | None
    """Where the bytes lie that stood there without our entries; None: there was no file."""
    sha256_before: str | None
    sha256_after: str
    """Of the file as we left it: as long as it is that, the original can come back byte for byte."""
    folders: list[str]
    """Made by us, innermost first."""


def read() -> dict[str, Record]:
    """Path of the settings file (as addressed: it may be a link) → record; empty when there is none that is usable."""
    try:
        content = json.loads(_file().read_text(encoding="utf-8"))
        return {
            file: cast(Record, record)
            for file, record in content["files"].items()
            if isinstance(record, dict)
        }
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return {}


def write(records: dict[str, Record]) -> None:
    """Replace the file; without records it goes."""
    file = _file()
    if not records:
        file.unlink(missing_ok=True)
        return
    paths.make_private(str(file.parent))
    content = json.dumps({"version": 1, "files": records}, indent=2, ensure_ascii=False) + "\n"
    if backups.read(file) != content.encode("utf-8", "surrogateescape"):
        replace_file(str(file), content.encode("utf-8", "surrogateescape"))


def _file() -> Path:
    return Path(paths.config_file(paths.INSTALLED))
