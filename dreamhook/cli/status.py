"""`dreamhook status`: how things are."""

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

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
    table.add_row(
        "worker",
        f"running, pid {found['worker']['pid']}" if found["worker"]["running"] else "not running",
    )
    told = f"{spool['depth']} waiting, {spool['bad']} damaged, {spool['lost']} lost"
    told += f", {spool['reduced']} kept without all of their text" if spool["reduced"] else ""
    told += f", {spool['expired']} expired" if spool["expired"] else ""
    table.add_row("spool", told + (" (over its quota)" if spool["over_quota"] else ""))
    table.add_row("recording", _recording(found["capture"]))
    table.add_row("last capture", found["last_capture_at"] or "never")
    table.add_row("last dream", _dreamed(found["last_dream_at"], found["dream"]))
    for client, one in found["harnesses"].items():
        table.add_row(client, "installed" if one["installed"] else "not installed")
    Console().print(table)


def _recording(capture: dict[str, Any]) -> str:
    """One line: whether, and where not."""
    if capture["paused"]:
        return "paused everywhere (dreamhook resume)"
    but = (
        [f"{len(capture['paused_repositories'])} repositories paused"]
        if capture["paused_repositories"]
        else []
    )
    but += [f"{capture['blocked']} folders blocked"] if capture["blocked"] else []
    but += [f"{len(capture['excluded'])} rules of exclusion"] if capture["excluded"] else []
    but += (
        [f"{capture['new']} folders nobody has approved (dreamhook repo list)"]
        if capture["new"]
        else []
    )
    return "on" + (f"; {', '.join(but)}" if but else "")


def _dreamed(when: str | None, dream: dict[str, Any] | None) -> str:
    """When, what today cost, and what waits for the person."""
    told = [when or "never"]
    if dream and dream["tokens_today"]:
        told.append(f"{dream['tokens_today']:,} tokens today")
    if dream and dream["last"] and dream["last"]["status"] == "failed":
        told.append(f"the last try failed: {dream['last']['error']}")
    if dream and dream["proposed"]:
        told.append(f"{dream['proposed']} changes to decide (dreamhook dream review)")
    if dream and dream["parked"]:
        told.append(f"{len(dream['parked'])} sessions parked (dreamhook dream log)")
    return "; ".join(told)


def gather() -> dict[str, Any]:
    """What `status --json` prints. Never raises for a store that is away; takes a few seconds at most then."""
    from dreamhook import __version__, harness
    from dreamhook.install import installed
    from dreamhook.repository import pause
    from dreamhook.spool import reader
    from dreamhook.worker import control

    waiting = reader.waiting()
    worker = control.status()
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
        "capture": dict(pause.consent()),
        "worker": {"running": worker is not None, **(worker or {"pid": None})},
        **last,
        "harnesses": {client: {"installed": installed(client)} for client in harness.clients()},
    }


def _spool(waiting: list[Path]) -> dict[str, Any]:
    from dreamhook import paths
    from dreamhook.spool import reader, writer

    oldest = min(
        (int(file.name[:20]) for file in waiting if file.name[:20].isdecimal()), default=None
    )
    return {
        "depth": len(waiting),
        "oldest_age_s": round(max(0.0, time.time() - oldest / 1e9), 1) if oldest else None,
        "bad": sum(1 for _ in reader.files("bad")),
        "lost": reader.counted(paths.SPOOL_LOST),
        "reduced": reader.counted(paths.SPOOL_REDUCED),
        "expired": sum(1 for _ in reader.files("expired")),
        "over_quota": writer.quota_mark() > 0,
    }


def _store() -> tuple[dict[str, Any], dict[str, Any]]:
    from neo4j.exceptions import DriverError, Neo4jError

    from dreamhook import config, dreamed
    from dreamhook.store.connect import open_store
    from dreamhook.store.endpoint import StoreUnavailable
    from dreamhook.store.state import endpoint

    neo4j: dict[str, Any] = dict.fromkeys(("kind", "uri", "user", "password_file", "http_url"))
    last: dict[str, Any] = {"last_capture_at": None, "last_dream_at": None, "dream": None}
    try:
        place = endpoint()
        neo4j |= {name: getattr(place, name) for name in neo4j}
        with open_store(place) as store:
            records = store.read("status_last")
            last |= records[0].data() if records else {}
            last["dream"] = dreamed.summary(store, config.load().person)
        neo4j["state"] = "up"
    except StoreUnavailable as error:
        neo4j["state"] = f"away: {error}"
    except (DriverError, Neo4jError) as error:
        neo4j["state"] = f"away: {type(error).__name__}"
    return neo4j, last
