"""Knows the dream's own sessions, so that memory is never made of the making of memory.

DREAMHOOK_OFF in the environment of whatever the dream starts is the first guard. This is the second, for when the
variable was lost on the way: the folder the dream works in, and how what it asks begins.
"""

import os

from dreamhook import paths
from dreamhook.event import Event
from dreamhook.hook.consent import DREAM_PROMPTS

FOLDER = "/dreaming"
"""In the state folder: the empty folder in which anything that the dream starts has to run."""


def dream_folder() -> str:
    """The folder, made if it is not there."""
    return paths.make_private(paths.state_dir() + FOLDER)


def is_dreams_own(event: Event) -> bool:
    """Whether a session of the dream reports this."""
    folder = event.get("cwd", "")
    if FOLDER in folder and _within(folder, paths.state_dir() + FOLDER):
        return True
    return (
        event.get("prompt", "")
        .lstrip()
        .startswith(tuple(words.decode() for words in DREAM_PROMPTS))
    )


def _within(folder: str, parent: str) -> bool:
    if "\0" in folder:
        return False
    folder, parent = os.path.realpath(folder), os.path.realpath(parent)
    return folder == parent or folder.startswith(parent + "/")
