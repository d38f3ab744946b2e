"""`dreamhook doctor`: what is wrong, and what to do about it."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from dreamhook.cli.status import gather

if TYPE_CHECKING:
    from dreamhook.store.query import Store


class Finding(NamedTuple):
    """One check's result; `fix` is what to do when it failed."""

    check: str
    ok: bool
    what: str
    fix: str = ""


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
@click.option(
    "--repair",
    is_flag=True,
    help="Link broken sessions again, losing no event; make indexes again.",
)
def doctor(as_json: bool, repair: bool) -> None:
    """Check every part; exit status 1 when one needs attention."""
    findings = list(_findings(repair))
    if as_json:
        click.echo(json.dumps([finding._asdict() for finding in findings]))
    else:
        for finding in findings:
            mark = "ok " if finding.ok else "BAD"
            click.echo(
                f"{mark} {finding.check:14} {finding.what}"
                + (f"\n    → {finding.fix}" if finding.fix and not finding.ok else "")
            )
    sys.exit(0 if all(finding.ok for finding in findings) else 1)


def _findings(repair: bool) -> Iterator[Finding]:
    from dreamhook import config, paths
    from dreamhook.config import ConfigError

    try:
        settings = config.load()
        yield Finding("config", True, paths.config_file())
    except ConfigError as error:
        yield Finding(
            "config", False, str(error), "correct the key, or remove the file to have the defaults"
        )
        return
    loose = [
        folder
        for folder in {paths.state_dir(), paths.data_dir(), paths.config_dir(), paths.spool_dir()}
        if Path(folder).is_dir() and Path(folder).stat().st_mode & 0o077
    ]
    yield Finding(
        "privacy",
        not loose,
        ", ".join(loose) or "folders are yours alone",
        f"chmod 700 {' '.join(loose)}",
    )
    found = gather()
    capture = found["capture"]
    yield Finding(
        "recording",
        not capture["paused"],
        "paused everywhere" if capture["paused"] else "on",
        "dreamhook resume",
    )
    yield Finding(
        "repositories",
        capture["list_readable"],
        f"{capture['new']} folders nobody has approved, {capture['blocked']} blocked",
        f"{paths.config_file(paths.REPOSITORIES)} is damaged: no memories are shown until it is repaired or removed",
    )
    neo4j, spool = found["neo4j"], found["spool"]
    up = neo4j["state"] == "up"
    yield Finding(
        "store", up, neo4j["state"], "dreamhook neo4j start; events wait in the spool until then"
    )
    if up:
        yield from _in_store(settings.person, repair)
    old = spool["oldest_age_s"] or 0
    yield Finding(
        "spool", old < 300, f"{spool['depth']} waiting, oldest {old:.0f} s", "dreamhook drain"
    )
    yield Finding(
        "damaged",
        not spool["bad"],
        f"{spool['bad']} in bad/",
        f"try again with `dreamhook drain --bad`; or look into {paths.spool_dir()}/bad, delete when seen",
    )
    lost = f"{spool['lost']} events that no disk took"
    yield Finding(
        "lost",
        not spool["lost"],
        lost,
        f"make room; then remove {paths.spool_dir()}/{paths.SPOOL_LOST}",
    )
    yield Finding(
        "quota",
        not spool["over_quota"],
        f"{spool['reduced']} events kept without all of their text",
        "bring the store back; until then events are kept without their text",
    )
    expired = f"{spool['expired']} waited for the store too long and lie compressed in expired/"
    yield Finding("expired", not spool["expired"], expired, "dreamhook drain --expired")
    if settings.semantic:
        yield _meaning()
    yield Finding(
        "worker",
        True,
        "running" if found["worker"]["running"] else "not running; the next hook starts it",
    )
    for client, one in found["harnesses"].items():
        yield Finding(
            client,
            True,
            "installed" if one["installed"] else "not installed (./install.sh adds it)",
        )


def _meaning() -> Finding:
    from contextlib import closing

    from dreamhook.recall import vectors
    from dreamhook.recall.embedding import NAME, Embedder, Unusable

    try:
        Embedder()
        with closing(vectors.opened()):
            return Finding("meaning", True, f"notes are compared by {NAME} too")
    except Unusable as error:
        return Finding("meaning", False, f"notes are compared by words alone: {error}")


def _in_store(person: str, repair: bool) -> Iterator[Finding]:
    from dreamhook.store.connect import open_store
    from dreamhook.store.state import endpoint

    place = endpoint()
    with open_store(place) as store:
        yield _lists(store, repair)
        yield _indexes(store, repair)
        yield _notes(store, person)


def _lists(store: "Store", repair: bool) -> Finding:
    from dreamhook.record import repair as lists

    told = "every session is one unbroken list"
    broken = lists.broken(store)
    if broken and repair:
        links = [lists.repair(store, one) for one in broken]
        told = f"{len(broken)} sessions repaired, {sum(made for _, made in links)} links made; no event was lost"
        broken = lists.broken(store)
    names = ", ".join(f"{one.client} {one.session_id}" for one in broken[:20])
    return Finding(
        "lists",
        not broken,
        f"{len(broken)} broken: {names}" if broken else told,
        "dreamhook doctor --repair",
    )


def _indexes(store: "Store", repair: bool) -> Finding:
    from neo4j.exceptions import Neo4jError

    from dreamhook.store import indexes

    gone, told, why = indexes.missing(store), "recall can search", ""
    if gone and repair:
        try:
            indexes.restore(store, gone)
        except Neo4jError as error:  # twins, say, where a constraint wants one
            why = f"; the store refused: {error.message}"
        told, gone = f"made again: {', '.join(gone)}", indexes.missing(store)
    lost = f"not usable: {', '.join(gone)}; what needs them finds nothing{why}"
    return Finding("indexes", not gone, lost if gone else told, "dreamhook doctor --repair")


def _notes(store: "Store", person: str) -> Finding:

    rows = store.ask("doctor_notes", {"person": person, "limit": 20})
    odd = ", ".join(row["path"] or "(no path)" for row in rows)
    fix = "give each a well-formed version: `dreamhook memory edit PATH`, or `memory rm PATH`"
    if any(not row["path"] for row in rows):
        fix += "; one without a path can be named in the browser alone: `dreamhook neo4j browse`"
    return Finding("notes", not rows, f"malformed: {odd}" if rows else "well-formed", fix)
