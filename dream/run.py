"""One dream from start to end: options, store, lease, every repository with something new, and what came of it."""

import argparse
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from neo4j.exceptions import DriverError, Neo4jError

from dream import apply, backend, batch, collect, files, history, options, report, review
from dream.backend import Backend
from dream.budget import Budget
from dream.check import Rules
from dream.chunk import Unit
from dream.errors import DreamError, NoAccess
from dream.lease import Lease, LeaseLost, held
from dream.session_filter import Choice, choice
from dream.unit import IN_A_ROW, Dreamer, Part, dream
from dreamhook import config, paths
from dreamhook.config import Config, ConfigError
from dreamhook.forget import tombstones
from dreamhook.recall import start_cache
from dreamhook.record import drain
from dreamhook.repository import identity
from dreamhook.scrub.key import load_key
from dreamhook.scrub.scrub import scrub_text
from dreamhook.since import since
from dreamhook.store import server
from dreamhook.store.connect import open_store
from dreamhook.store.endpoint import StoreUnavailable
from dreamhook.store.query import Store
from dreamhook.store.schema import migrate

CONNECT_S = 15.0
LOOKING = ("log", "show", "diff", "undo", "review", "--review")


def main(argv: list[str]) -> int:
    """Exit status: 0 done or nothing to do, 1 something failed (one line per failure on stderr), 2 wrong options."""
    if argv[:1] and argv[0] in LOOKING:
        looking = options.looking().parse_args([argv[0].lstrip("-"), *argv[1:]])
        run = partial(_look, looking)
    else:
        asked = options.parser().parse_args(argv)
        run = partial(_run, asked)
    try:
        settings = config.load()
        endpoint = server.ensure_running()
        with open_store(endpoint, timeout=CONNECT_S) as store:
            migrate(store)
            return run(store, settings)
    except (ConfigError, StoreUnavailable, DreamError, LeaseLost, Refused) as error:
        report.problem(str(error))
    except OSError as error:
        report.problem(f"{error.filename}: {error.strerror}")
    except (DriverError, Neo4jError) as error:
        report.problem(
            f"the store went away ({type(error).__name__}); what was stored stays, the rest is offered again"
        )
    except KeyboardInterrupt:
        report.problem("interrupted; what was stored stays, the rest is offered again")
    return 1


class Refused(Exception):
    """Options that make no sense; the message says why."""


def _look(asked: argparse.Namespace, store: Store, settings: Config) -> int:
    if asked.command == "review":
        return review.run(store, settings.person, asked)
    return history.run(store, settings.person, asked)


def _run(asked: argparse.Namespace, store: Store, settings: Config) -> int:
    if asked.scheduled and not asked.now and not _due(store, settings):
        return 0
    if not (asked.dry_run or asked.export_requests):
        upload_spooled(store, settings)
    if asked.retry_parked:
        store.write("dream_unpark", person=settings.person)
    chosen = choice(
        now=asked.now,
        idle_minutes=settings.dream.idle_minutes,
        since=_since(asked.since),
        session=asked.session,
    )
    wanted = asked.backend or settings.dream.backend
    units = [
        unit for unit in collect.units(store, settings.person, chosen) if _wanted(unit, asked.repo)
    ]
    left = collect.running(store, settings.person, chosen) if chosen.idle_from else []
    without = bool(asked.export_requests or asked.import_responses)
    pending = [] if without else store.read("dream_requests", person=settings.person)
    opened = ExitStack()
    way = (
        backend.none()
        if without or not (units or pending)
        else backend.choose(settings, wanted, opened)
    )
    writes = not (asked.dry_run or asked.export_requests) and bool(
        units or pending or asked.import_responses
    )
    with opened, _lease(store, wanted=writes) as (free, lease):
        if not free:
            report.say("another dream is at work; it sees the same events", quiet=asked.scheduled)
            return 0
        dreamer = _dreamer(store, lease, settings, way, asked, chosen)
        if asked.export_requests:
            return report.exported(files.export(dreamer, units, Path(asked.export_requests)), asked)
        if units and not asked.json and not without:
            report.before(units, dreamer, quiet=asked.scheduled)
        done = list(_work(asked, dreamer, way, units, settings.person))
        if lease and not dreamer.unusable:
            unused = apply.propose_unused(store, lease, settings.person)
            done += (
                [f"{unused} notes that no session was given for long: `dreamhook dream review`"]
                if unused
                else []
            )
    if writes:
        start_cache.refresh(store, settings)
    parts = [one for one in done if isinstance(one, Part)]
    notes = [one for one in done if isinstance(one, str)]
    return report.result(parts, notes, left, dreamer, asked)


def _dreamer(
    store: Store,
    lease: Lease | None,
    settings: Config,
    way: Backend,
    asked: argparse.Namespace,
    chosen: Choice,
) -> Dreamer:
    key = load_key(paths.make_private(paths.config_dir()))
    forgotten = tombstones.load(store, settings.person, key)
    now = datetime.now(UTC)
    today = store.read("dream_spent", person=settings.person, since=now.date().isoformat())[0][
        "tokens"
    ]
    return Dreamer(
        store=store,
        lease=lease,
        model=settings.model,
        backend=way.name,
        complete=way.complete,
        rules=Rules(
            today=now.date(),
            scrub=partial(scrub_text, key=key),
            forgotten=lambda text: tombstones.without(forgotten, text) != text,
            allow_pinned=asked.allow_pinned,
        ),
        budget=Budget(settings.dream, today=int(today)),
        choice=chosen,
    )


def _work(
    asked: argparse.Namespace, dreamer: Dreamer, way: Backend, units: list[Unit], person: str
) -> Iterator[Part | str]:
    """Parts, and lines to tell."""
    if asked.import_responses:
        for outcome in files.apply_answers(dreamer, Path(asked.import_responses), person):
            yield outcome.part or f"{outcome.id}: refused: {outcome.refused}"
        return
    if dreamer.lease and way.name in ("api", "batch"):
        yield from (
            batch.collect(dreamer, way.client(), person) if batch.waiting(dreamer, person) else ()
        )
    if way.name == "batch" and dreamer.lease:
        ready, left = batch.submit(dreamer, way.client(), units, person)
        if ready:
            yield f"{len(ready)} requests submitted as a batch; a later dream applies the answers"
        if left:
            yield f"not everything was submitted: {left}"
        return
    yield from _parts(dreamer, units)


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
        if dreamer.unusable >= IN_A_ROW:
            report.problem(
                f"{IN_A_ROW} answers in a row could not be used; the rest waits for the next dream"
            )
            return


def upload_spooled(store: Store, settings: Config) -> None:
    """What hooks have written down and no worker has uploaded yet belongs to this dream."""
    with drain.turn():
        while True:
            done = drain.drain_round(store, settings)
            if not (done.appended or done.already_there or done.bad):
                return


@contextmanager
def _lease(store: Store, wanted: bool) -> Iterator[tuple[bool, Lease | None]]:
    """(whether we may go on, the lease); a dry run writes nothing, so it needs none."""
    if not wanted:
        yield True, None
        return
    with held(store) as lease:
        yield lease is not None, lease


def _due(store: Store, settings: Config) -> bool:
    last = store.read("dream_last", person=settings.person)[0]["at"]
    return last is None or datetime.fromisoformat(last) + timedelta(
        hours=settings.dream_hours
    ) <= datetime.now(UTC)


def _wanted(unit: Unit, repo: str | None) -> bool:
    """`repo`: an id, a name, a remote, or a folder in the repository."""
    if repo is None or repo in (unit.repository, unit.name, unit.remote):
        return True
    return Path(repo).is_dir() and identity.find(repo).id == unit.repository


def _since(text: str) -> str:
    """As `since`, "" for none. Raises Refused."""
    try:
        return since(text) if text else ""
    except ValueError as error:
        raise Refused(str(error)) from error
