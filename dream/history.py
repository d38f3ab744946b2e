"""`dream log|show|diff|undo`: what dreams did, and taking one back."""

import argparse
import json
from typing import Any

import click
from neo4j import ManagedTransaction

from cypher import statement
from dream import budget, report
from dream.budget import Usage
from dream.errors import DreamError
from dreamhook.memory import note_versions
from dreamhook.store.query import Store
from dreamhook.times import now

MANY = 1_000


def run(store: Store, person: str, asked: argparse.Namespace) -> int:
    """Do the command; the exit status. Raises DreamError when there is no such dream."""
    if asked.command == "log":
        return _log(store, person, asked)
    row = _one(store, person, asked.id)
    if asked.command == "show":
        return _show(row, asked.json)
    if asked.command == "diff":
        return _diff(store, row, asked.json)
    return _undo(store, person, row, asked)


def _log(store: Store, person: str, asked: argparse.Namespace) -> int:
    rows = [
        _row(row) for row in store.read("dream_log", person=person, start="", limit=asked.limit)
    ]
    parked = [
        row.data() for row in store.read("dream_parked", person=person, states=["parked", "alone"])
    ]
    if asked.json:
        click.echo(json.dumps({"dreams": rows, "parked": parked}, ensure_ascii=False, indent=2))
        return 0
    for row in rows:
        dream, undone = row["dream"], ", taken back" if row["dream"].get("undone_at") else ""
        what = f"{len(row['wrote'])} changes" + (
            f", {len(row['proposed'])} proposed" if row["proposed"] else ""
        )
        state = dream.get("error") or what if dream["status"] == "failed" else what
        told = budget.told(
            dream.get("model", "?"), _usage(dream), batch=dream.get("backend") == "batch"
        )
        click.echo(f"{dream['id']}  {row['name']}  {dream['status']}{undone}: {state}; {told}")
    for one in parked:
        state = (
            "parked, `dream --retry-parked` tries it again"
            if one["state"] == "parked"
            else "to be tried alone"
        )
        click.echo(
            f"{one['name']}: session {one['client']} {one['session_id'][:8]} {state}: {one['why']}"
        )
    if not rows:
        click.echo("no dreams yet")
    return 0


def _show(row: dict[str, Any], as_json: bool) -> int:
    if as_json:
        click.echo(json.dumps(row, ensure_ascii=False, indent=2))
        return 0
    dream = row["dream"]
    click.echo(f"{dream['id']}  {row['name']}  {dream['status']}")
    for key in (
        "started_at",
        "ended_at",
        "undone_at",
        "model",
        "backend",
        "prompt_version",
        "error",
    ):
        if dream.get(key):
            click.echo(f"{key.replace('_', ' ')}: {dream[key]}")
    click.echo(
        f"events {dream.get('from_seq')} to {dream.get('to_seq')} of {len(dream.get('sessions') or [])} sessions"
    )
    click.echo(
        budget.told(dream.get("model", "?"), _usage(dream), batch=dream.get("backend") == "batch")
    )
    for one in row["wrote"]:
        click.echo(
            f"{one['action']} {one['path']}: version {one['from_version']} → {one['to_version']} ({one['why']})"
        )
    for one in row["proposed"]:
        click.echo(f"proposed {one['id']} {one['path']}: {one['reason']} ({one['status']})")
    return 0


def _diff(store: Store, row: dict[str, Any], as_json: bool) -> int:
    found = []
    for one in row["wrote"]:
        texts = _texts(store, one)
        before, after = texts.get(one["from_version"], ""), texts.get(one["to_version"], "")
        found.append(
            {
                "scope": one["scope"],
                "path": one["path"],
                "diff": report.text_diff(one["path"], before, after),
            }
        )
    click.echo(
        json.dumps(found, ensure_ascii=False, indent=2)
        if as_json
        else "\n".join(one["diff"] for one in found)
    )
    return 0


def _undo(store: Store, person: str, row: dict[str, Any], asked: argparse.Namespace) -> int:
    """Each note of the dream gets its text from before it, as a new version; all of them in one transaction."""

    def work(tx: ManagedTransaction) -> list[dict[str, Any]]:
        at = now()
        told = [_take_back(tx, store, person, one, asked.force, at) for one in row["wrote"]]
        tx.run(statement("dream_undone"), {"id": row["dream"]["id"], "at": at}).consume()
        return told

    told = store.transaction(work)
    if asked.json:
        click.echo(
            json.dumps({"dream": row["dream"]["id"], "notes": told}, ensure_ascii=False, indent=2)
        )
    for one in told:
        if one["refused"]:
            report.problem(f"{one['path']}: {one['refused']}")
        elif not asked.json:
            report.say(
                f"{one['path']}: "
                + ("as it was before" if one["restored"] else "no longer current")
            )
    if not told:
        report.say(f"dream {row['dream']['id']} changed no note")
    return 1 if any(one["refused"] for one in told) else 0


def _take_back(
    tx: ManagedTransaction, store: Store, person: str, one: dict[str, Any], force: bool, at: str
) -> dict[str, Any]:
    told = {
        "path": one["path"],
        "scope": one["scope"],
        "restored": one["from_version"],
        "refused": "",
    }
    versions = note_versions.versions(store, one["scope"], one["path"])
    present = versions[0]["version"]
    if present != one["to_version"] and not force:
        return told | {
            "refused": f"changed since (version {present}), left as it is; --force restores it all the same"
        }
    old = next((version for version in versions if version["version"] == one["from_version"]), None)
    if old is None and one["from_version"]:
        return told | {"refused": f"version {one['from_version']} is no longer kept"}
    number = note_versions.restore(tx, one["scope"], one["path"], person, old, present, at)
    return (
        told if number else told | {"refused": "changed at this moment, left as it is; try again"}
    )


def _texts(store: Store, one: dict[str, Any]) -> dict[int, str]:
    """Version → text, empty for one that was not current."""
    found = note_versions.versions(store, one["scope"], one["path"])
    return {row["version"]: row["content"] if row["status"] == "current" else "" for row in found}


def _one(store: Store, person: str, start: str) -> dict[str, Any]:
    rows = [_row(row) for row in store.read("dream_log", person=person, start=start, limit=MANY)]
    rows = [row for row in rows if row["dream"]["id"] == start] or rows
    if len(rows) != 1:
        what = f"{len(rows)} dreams begin with {start!r}" if rows else f"no dream {start!r}"
        raise DreamError(f"{what}; `dreamhook dream log` names them all")
    return rows[0]


def _row(row: Any) -> dict[str, Any]:
    found: dict[str, Any] = row.data()
    return found


def _usage(dream: dict[str, Any]) -> Usage:
    return Usage(
        *(int(dream.get(name) or 0) for name in ("calls", "input_tokens", "output_tokens"))
    )
