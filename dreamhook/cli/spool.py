"""`dreamhook drain`: wait until all that is spooled now is in the store."""

import sys
import time

import click


@click.command("drain")
@click.option("--timeout", default=60.0, show_default=True, help="Seconds to try before giving up.")
def drain(timeout: float) -> None:
    """Put everything that is spooled into the store; 0 when all of it is there."""
    from neo4j.exceptions import DriverError, Neo4jError

    from dreamhook import config
    from dreamhook.record import spooled
    from dreamhook.record.drain import drain_round, turn
    from dreamhook.store.endpoint import StoreUnavailable
    from dreamhook.store.link import Link

    settings, link, reason = config.load(), Link(), ""
    mine = set(spooled.waiting())
    deadline = time.monotonic() + timeout
    appended = bad = 0
    try:
        while mine & set(spooled.waiting()):
            if time.monotonic() > deadline:
                left = len(mine & set(spooled.waiting()))
                click.echo(f"dreamhook: {left} events not uploaded yet, kept in the spool. {reason}".rstrip(), err=True)
                sys.exit(1)
            try:
                with turn():
                    done = drain_round(link.open(force=True), settings, link.database)
                appended, bad = appended + done.appended, bad + done.bad
            except StoreUnavailable as error:
                reason = str(error)
                time.sleep(0.3)
            except (DriverError, Neo4jError) as error:
                reason = f"{type(error).__name__}: {error}"
                link.drop(error)
                time.sleep(0.3)
    finally:
        link.close()
    click.echo(
        f"{len(mine)} spooled, {appended} new events in the store" + (f", {bad} set aside as damaged" if bad else "")
    )
