"""Keeps a folder's start block on disk for every harness: whoever starts there next needs no worker for it."""

import os
from collections.abc import Sequence
from contextlib import suppress

from dreamhook import harness, paths
from dreamhook.config import Config
from dreamhook.event import Event
from dreamhook.hook import cached_start
from dreamhook.recall import blocks, search
from dreamhook.recall.idf import notes_changed
from dreamhook.recall.notes import Memory
from dreamhook.recall.render import worded
from dreamhook.recall.scopes import permitted
from dreamhook.scrub.key import load_key
from dreamhook.store.query import Store

CATALOGUE = 150
"""Notes looked at for a start; its catalogue has room for about half."""
FOLDERS = 50
"""Whose packs are kept and made anew after notes changed: those used last; the others' next start makes theirs."""


def keep(folder: str, memories: Sequence[Memory], block: str, *, used: bool = True) -> None:
    """The block of these notes, one file per harness, each in its own shape. `used`: a session begins there.

    What cannot be kept, on a full disk say, is not: the store is asked first.
    """
    until = min((one.expires for one in memories if one.expires), default="")
    answers = {}
    for client in harness.clients():
        start = Event(
            client=client, session_id="", event_name="SessionStart", client_event="SessionStart"
        )
        answers[client] = harness.get(client).reply(start, block)
    with suppress(OSError, ValueError):
        cached_start.write(folder, answers, until, used=used)


def refresh(store: Store, settings: Config) -> None:
    """Make the packs, and what the worker counted, say what the store says now: after a dream, or a note that a person
    changed. Raises OSError and the driver's errors."""
    notes_changed()
    wording = worded(load_key(paths.make_private(paths.config_dir())))
    for number, folder in enumerate(cached_start.folders()):
        if number < FOLDERS and os.path.isdir(folder):
            memories = search.at_start(store, permitted(settings, folder), CATALOGUE)
            keep(folder, memories, blocks.start_block(memories, wording)[0], used=False)
        else:
            cached_start.drop(folder, harness.clients())
