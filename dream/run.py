"""One dream from start to end: options, store, lease, every repository with something new, and what came of it."""

import argparse
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path

from neo4j.exceptions import DriverError, Neo4jError

from dream import collect, consolidate, report
from dream.collect import Unit
from dream.consolidate import NoAccess
from dream.graph import Graph, read
from dream.lease import Lease, LeaseLost, held
from dream.unit import Dreamer, Part, dream
from dreamhook import config, paths, repository
from dreamhook.config import Config, ConfigError
from dreamhook.record import drain
from dreamhook.scrub.scrub import load_key, scrub_text
from dreamhook.store import managed
from dreamhook.store.connect import open_driver
from dreamhook.store.endpoint import StoreUnavailable
from dreamhook.store.schema import migrate

CALLS = 20
"""Requests per run; what is left waits for the next."""
CONNECT_S = 15.0


def main(argv: list[str]) -> int:
    """Exit status: 0 done or nothing to do, 1 something failed (one line per failure on stderr), 2 wrong options."""
    options = _parser().parse_args(argv)
    try:
        return _run(options, config.load())
    except (ConfigError, StoreUnavailable, NoAccess) as error:
        report.problem(str(error))
    except (DriverError, Neo4jError) as error:
        report.problem(
            f"the store went away ({type(error).__name__}); what was stored stays, the rest is offered again"
        )
    except KeyboardInterrupt:
        report.problem("interrupted; what was stored stays, the rest is offered again")
    return 1


def _run(options: argparse.Namespace, settings: Config) -> int:
    endpoint = managed.ensure_running()
    with open_driver(endpoint, timeout=CONNECT_S) as driver:
        graph = Graph(driver, endpoint.database)
        migrate(driver, endpoint.database)
        if options.scheduled and not options.now and not _due(graph, settings):
            return 0
        if not options.dry_run:
            upload_spooled(graph, settings)
        units = [unit for unit in collect.units(graph, settings.person) if _wanted(unit, options.repo)]
        key = consolidate.api_key(settings.api_key_file) if units else ""
        with ExitStack() as opened, _lease(graph, wanted=bool(units) and not options.dry_run) as (free, lease):
            if not free:
                report.say("another dream is at work; it sees the same events", quiet=options.scheduled)
                return 0
            dreamer = Dreamer(
                graph=graph,
                lease=lease,
                model=settings.model,
                claude=cache(lambda: opened.enter_context(consolidate.client(key))),
                scrub=partial(scrub_text, key=load_key(paths.make_private(paths.config_dir()))),
                calls=CALLS,
            )
            parts = list(_parts(dreamer, units))
    if options.json:
        report.as_json(parts, dreamer.usage, options.dry_run)
    else:
        report.as_text(parts, dreamer.usage, dry_run=options.dry_run, quiet=options.scheduled)
    return 1 if any(part.error for part in parts) else 0


def upload_spooled(graph: Graph, settings: Config) -> None:
    """What hooks have written down and no worker has uploaded yet belongs to this dream."""
    with drain.turn():
        while True:
            done = drain.drain_round(graph.driver, settings, graph.database)
            if not (done.appended or done.already_there or done.bad):
                return


def _parts(dreamer: Dreamer, units: list[Unit]) -> Iterator[Part]:
    """A part of each unit in turn, so that a busy repository does not use up the calls of the others."""
    waiting = deque((unit, dream(dreamer, unit)) for unit in units)
    while waiting:
        unit, work = waiting.popleft()
        try:
            with report.progress(f"dreaming about {unit.name}"):
                part = next(work, None)
        except (NoAccess, LeaseLost) as error:
            yield Part(unit, error=str(error))
            return  # it would be the same for the others
        if part:
            yield part
            waiting.append((unit, work))


@contextmanager
def _lease(graph: Graph, wanted: bool) -> Iterator[tuple[bool, Lease | None]]:
    """(whether we may go on, the lease); a dry run writes nothing, so it needs none."""
    if not wanted:
        yield True, None
        return
    with held(graph) as lease:
        yield lease is not None, lease


def _due(graph: Graph, settings: Config) -> bool:
    last = read(graph, "dream_last", person=settings.person)[0]["at"]
    return last is None or datetime.fromisoformat(last) + timedelta(hours=settings.dream_hours) <= datetime.now(UTC)


def _wanted(unit: Unit, repo: str | None) -> bool:
    """`repo`: an id, a name, a remote, or a folder in the repository."""
    if repo is None or repo in (unit.repository, unit.name, unit.remote):
        return True
    return Path(repo).is_dir() and repository.find(repo).id == unit.repository


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="dreamhook dream", description="Consolidate new events into memories.")
    parser.add_argument(
        "--dry-run", action="store_true", help="ask Claude (this costs a call), show the changes, write nothing"
    )
    parser.add_argument("--now", action="store_true", help="also when --scheduled says it is not due yet")
    parser.add_argument("--repo", metavar="REPO", help="only this repository: its name, id, remote or folder")
    parser.add_argument("--scheduled", action="store_true", help="for timers: do nothing, quietly, when not due")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    return parser
