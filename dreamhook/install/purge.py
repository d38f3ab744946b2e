"""Removes everything that was recorded: the folders that hold data, settings and state."""

import os
import shutil
from pathlib import Path

from dreamhook import paths
from dreamhook.install.entries import Refused

SIGNS = {
    paths.SETTINGS,
    paths.SPOOL,
    paths.NEO4J,
    paths.INSTALLED,
    paths.BACKUPS,
    paths.LOG.partition("/")[0],
    paths.PACKS,
    paths.WORKER_LOCK,
}
"""A folder in which none of these lies is not taken for ours."""


def folders() -> list[Path]:
    """Those that exist. Refused for one that does not look like ours or holds more than us."""
    found = [
        Path(path)
        for path in dict.fromkeys((paths.data_dir(), paths.state_dir(), paths.config_dir()))
    ]
    found = [folder for folder in found if folder.is_dir()]
    for folder in found:
        real = Path(os.path.realpath(folder))
        above = [Path(os.path.realpath(place)) for place in (os.path.expanduser("~"), paths.ROOT)]
        if any(place == real or real in place.parents for place in above):
            raise Refused(
                f"{folder} holds more than dreamhook; nothing was removed, take out by hand what you do not want"
            )
        if any(folder.iterdir()) and not SIGNS.intersection(os.listdir(folder)):
            raise Refused(f"{folder} does not look like dreamhook's; nothing was removed")
    return found


def remove(found: list[Path]) -> None:
    """Remove these folders with all that is in them; a link as a link."""
    for folder in found:
        try:
            if folder.is_symlink():
                shutil.rmtree(os.path.realpath(folder))
                folder.unlink()
            else:
                shutil.rmtree(folder)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise Refused(
                f"{folder} could not be removed whole: {error.strerror} ({error.filename})"
            ) from error
