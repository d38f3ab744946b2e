"""Keeps a folder's start block on disk for every harness: whoever starts there next needs no worker for it."""

from datetime import UTC, datetime

from neo4j import Driver

from dreamhook import harness, paths
from dreamhook.config import Config
from dreamhook.event import Event
from dreamhook.hook import pack
from dreamhook.recall import blocks, search
from dreamhook.recall.scopes import permitted
from dreamhook.scrub.key import load_key
from dreamhook.scrub.scrub import scrub_text

CATALOGUE = 150
"""Notes looked at for a start; its catalogue has room for about half."""
FOLDERS = 50
"""Packs made anew after notes changed: those of the folders used last; the others' next start makes theirs."""


def write_packs(folder: str, block: str) -> None:
    """One file per harness, each in its own shape; untouched when it says the same already."""
    for client in harness.clients():
        start = Event(client=client, session_id="", event_name="SessionStart", client_event="SessionStart")
        reply = harness.get(client).reply(start, block)
        if pack.read(client, folder) != reply:
            pack.write(client, folder, reply)


def refresh(driver: Driver, settings: Config, database: str | None) -> None:
    """Make the packs say what the store says now: after a dream, or a note that a person changed."""
    key = load_key(paths.make_private(paths.config_dir()))
    today = datetime.now(UTC).date()
    for folder in pack.folders()[:FOLDERS]:
        memories = search.at_start(driver, permitted(settings, folder), CATALOGUE, database)
        write_packs(folder, scrub_text(blocks.start_block(memories, today), key))
