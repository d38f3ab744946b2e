"""`dreamhook drain`: wait until all that is spooled now is in the store."""

import os
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from dreamhook.config import Config


@dataclass
class Progress:
    """What the draining thread has done, for the waiting one to tell."""

    appended: int = 0
    bad: int = 0
    reason: str = ""
    done: threading.Event = field(default_factory=threading.Event)


@click.command("drain")
@click.option("--timeout", default=60.0, show_default=True, help="Seconds to try before giving up.")
@click.option(
    "--expired",
    is_flag=True,
    help="First take back what was set aside after 30 days without a store.",
)
@click.option(
    "--bad", is_flag=True, help="First take back what was set aside as damaged or refused."
)
def drain(timeout: float, expired: bool, bad: bool) -> None:
    """Put everything that is spooled into the store; 0 when all of it is there."""
    from dreamhook import config
    from dreamhook.spool import quota, reader

    settings = config.load()
    for folder, wanted in (("expired", expired), ("bad", bad)):
        if wanted:
            click.echo(f"{quota.take_back(folder)} {folder} events wait for upload again", err=True)
    mine = reader.waiting()
    progress = Progress()
    # A thread, for a store that holds a connection and never answers would hold this command beyond its timeout.
    threading.Thread(target=_drain, args=(settings, mine, progress, timeout), daemon=True).start()
    in_time = progress.done.wait(timeout + 1)
    left = len(set(mine) & set(reader.waiting()))
    if left or not in_time:
        reason = _stopped() or progress.reason or "The store does not answer."
        click.echo(
            f"dreamhook: {left} events not uploaded yet, kept in the spool. {reason}", err=True
        )
        sys.stderr.flush()
        os._exit(1)
    click.echo(
        f"{len(mine)} spooled, {progress.appended} new events in the store"
        + (f", {progress.bad} set aside as damaged" if progress.bad else "")
    )


def _stopped() -> str:
    """Why no upload can succeed, when the person stopped the store: the worker may still be busy finding that out."""
    from dreamhook.store import server

    return (
        "The store was stopped; run `dreamhook neo4j start`."
        if server.status()["stopped_on_purpose"]
        else ""
    )


def _drain(settings: "Config", mine: list[Path], progress: Progress, timeout: float) -> None:
    from neo4j.exceptions import DriverError, Neo4jError

    from dreamhook.record.drain import drain_round, turn
    from dreamhook.spool import reader
    from dreamhook.store.endpoint import StoreUnavailable
    from dreamhook.store.link import Link

    def in_time() -> bool:
        return time.monotonic() < deadline

    link, left, deadline = Link(), set(mine), time.monotonic() + timeout
    while left and in_time():
        try:
            with turn(wait=False) as ours:
                if ours:
                    done = drain_round(link.open(force=True), settings, in_time)
                    progress.appended, progress.bad = (
                        progress.appended + done.appended,
                        progress.bad + done.bad,
                    )
                    progress.reason = ""
            if not ours:
                progress.reason = "The worker is still uploading."
                time.sleep(0.05)
        except StoreUnavailable as error:
            progress.reason = str(error)
            time.sleep(0.3)
        except (DriverError, Neo4jError) as error:
            progress.reason = f"{type(error).__name__}: {error}"
            link.drop(error)
            time.sleep(0.3)
        left &= set(reader.waiting())
    link.close()
    progress.done.set()
