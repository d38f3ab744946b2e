"""`dreamhook status` shows how things are; `dreamhook doctor` says what is wrong and what to do about it."""

import json
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import click


@click.command("status")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable, stable keys.")
def status(as_json: bool) -> None:
    """Store, spool, worker, harnesses, last capture and last dream."""
    found = gather()
    if as_json:
        click.echo(json.dumps(found))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("", "", show_header=False, box=None, pad_edge=False)
    neo4j, spool = found["neo4j"], found["spool"]
    table.add_row("store", f"{neo4j['state']}  {neo4j['uri'] or ''}")
    table.add_row(
        "browser",
        f"{neo4j['http_url'] or '-'}  user {neo4j['user'] or '-'}  password in {neo4j['password_file'] or '-'}",
    )
    table.add_row("worker", f"running, pid {found['worker']['pid']}" if found["worker"]["running"] else "not running")
    told = f"{spool['depth']} waiting, {spool['bad']} damaged, {spool['lost']} lost"
    told += f", {spool['reduced']} kept without all of their text" if spool["reduced"] else ""
    told += f", {spool['expired']} expired" if spool["expired"] else ""
    table.add_row("spool", told + (" (over its quota)" if spool["over_quota"] else ""))
    table.add_row("last capture", found["last_capture_at"] or "never")
    table.add_row("last dream", found["last_dream_at"] or "never")
    for client, one in found["harnesses"].items():
        table.add_row(client, "installed" if one["installed"] else "not installed")
    Console().print(table)


def gather() -> dict[str, Any]:
    """What `status --json` prints. Never raises for a store that is away; takes a few seconds at most then."""
    from dreamhook import __version__, harness
    from dreamhook.install import installed
    from dreamhook.record import spooled
    from dreamhook.worker import ask

    waiting = spooled.waiting()
    worker = ask.status()
    neo4j, last = _store()
    if waiting and not last["last_capture_at"]:
        newest = waiting[-1].name.partition("-")[0]
        last["last_capture_at"] = (
            datetime.fromtimestamp(int(newest) / 1e9, UTC).isoformat() if newest.isdigit() else None
        )
    return {
        "version": __version__,
        "neo4j": neo4j,
        "spool": _spool(waiting),
        "worker": {"running": worker is not None, **(worker or {"pid": None})},
        **last,
        "harnesses": {client: {"installed": installed(client)} for client in harness.clients()},
    }


def _spool(waiting: list[Path]) -> dict[str, Any]:
    from dreamhook.hook import spool
    from dreamhook.record import spooled

    oldest = min((int(file.name[:20]) for file in waiting if file.name[:20].isdecimal()), default=None)
    return {
        "depth": len(waiting),
        "oldest_age_s": round(max(0.0, time.time() - oldest / 1e9), 1) if oldest else None,
        "bad": sum(1 for _ in spooled.files("bad")),
        "lost": spooled.counted("lost"),
        "reduced": spooled.counted("reduced"),
        "expired": sum(1 for _ in spooled.files("expired")),
        "over_quota": spool.quota_mark() > 0,
    }


def _store() -> tuple[dict[str, Any], dict[str, Any]]:
    from neo4j.exceptions import DriverError, Neo4jError

    from cypher import statement
    from dreamhook.store.connect import open_driver
    from dreamhook.store.endpoint import StoreUnavailable, endpoint

    neo4j: dict[str, Any] = dict.fromkeys(("kind", "uri", "user", "password_file", "http_url"))
    last: dict[str, Any] = {"last_capture_at": None, "last_dream_at": None}
    try:
        place = endpoint()
        neo4j |= {name: getattr(place, name) for name in neo4j}
        with open_driver(place) as driver:
            records, _, _ = driver.execute_query(statement("status_last"), database_=place.database)
        last |= records[0].data() if records else {}
        neo4j["state"] = "up"
    except StoreUnavailable as error:
        neo4j["state"] = f"away: {error}"
    except (DriverError, Neo4jError) as error:
        neo4j["state"] = f"away: {type(error).__name__}"
    return neo4j, last


class Finding(NamedTuple):
    """One check's result; `fix` is what to do when it failed."""

    check: str
    ok: bool
    what: str
    fix: str = ""


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
@click.option("--repair", is_flag=True, help="Link the events of broken sessions again; loses none.")
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
        config.load()
        yield Finding("config", True, paths.config_file())
    except ConfigError as error:
        yield Finding("config", False, str(error), "correct the key, or remove the file to have the defaults")
        return
    loose = [
        folder
        for folder in {paths.state_dir(), paths.data_dir(), paths.config_dir(), paths.spool_dir()}
        if Path(folder).is_dir() and Path(folder).stat().st_mode & 0o077
    ]
    yield Finding("privacy", not loose, ", ".join(loose) or "folders are yours alone", f"chmod 700 {' '.join(loose)}")
    found = gather()
    neo4j, spool = found["neo4j"], found["spool"]
    up = neo4j["state"] == "up"
    yield Finding("store", up, neo4j["state"], "dreamhook neo4j start; events wait in the spool until then")
    if up:
        yield _lists(repair)
    old = spool["oldest_age_s"] or 0
    yield Finding("spool", old < 300, f"{spool['depth']} waiting, oldest {old:.0f} s", "dreamhook drain")
    yield Finding(
        "damaged",
        not spool["bad"],
        f"{spool['bad']} in bad/",
        f"try again with `dreamhook drain --bad`; or look into {paths.spool_dir()}/bad, delete when seen",
    )
    lost = f"{spool['lost']} events that no disk took"
    yield Finding("lost", not spool["lost"], lost, f"make room; then remove {paths.spool_dir()}/lost")
    yield Finding(
        "quota",
        not spool["over_quota"],
        f"{spool['reduced']} events kept without all of their text",
        "bring the store back; until then events are kept without their text",
    )
    expired = f"{spool['expired']} waited for the store too long and lie compressed in expired/"
    yield Finding("expired", not spool["expired"], expired, "dreamhook drain --expired")
    yield Finding("worker", True, "running" if found["worker"]["running"] else "not running; the next hook starts it")
    for client, one in found["harnesses"].items():
        yield Finding(client, True, "installed" if one["installed"] else "not installed (./install.sh adds it)")


def _lists(repair: bool) -> Finding:
    from dreamhook.record import repair as lists
    from dreamhook.store.connect import open_driver
    from dreamhook.store.endpoint import endpoint

    place, told = endpoint(), "every session is one unbroken list"
    with open_driver(place) as driver:
        broken = lists.broken(driver, place.database)
        if broken and repair:
            links = [lists.repair(driver, one, place.database) for one in broken]
            told = f"{len(broken)} sessions repaired, {sum(made for _, made in links)} links made; no event was lost"
            broken = lists.broken(driver, place.database)
    names = ", ".join(f"{one.client} {one.session_id}" for one in broken[:20])
    return Finding(
        "lists", not broken, f"{len(broken)} broken: {names}" if broken else told, "dreamhook doctor --repair"
    )
