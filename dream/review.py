"""`dream review`: changes that a dream only proposed, for the person to make or to refuse."""

import argparse
import json
import sys
from typing import Any

import click
from neo4j import ManagedTransaction

from cypher import statement
from dream import report
from dream.errors import DreamError
from dreamhook import paths
from dreamhook.forget import tombstones
from dreamhook.memory import note_file, note_versions
from dreamhook.memory.note_versions import Version
from dreamhook.scrub.key import load_key
from dreamhook.store.query import Store
from dreamhook.times import now


def run(store: Store, person: str, asked: argparse.Namespace) -> int:
    """Show, apply or reject; the exit status: 1 when one could not be applied."""
    rows = [row.data() for row in store.read("dream_proposals", person=person)]
    if asked.apply or asked.reject:
        chosen = _chosen(rows, asked.apply or asked.reject)
        refused = [_settle(store, person, row, accept=bool(asked.apply)) for row in chosen]
        return 1 if any(refused) else 0
    if asked.json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return 0
    if not rows:
        report.say("nothing is proposed")
    for row in rows:
        _show(row)
        if sys.stdin.isatty() and sys.stdout.isatty():
            given = click.prompt(
                "apply, reject or leave", type=click.Choice(["a", "r", "l"]), default="l"
            )
            if given != "l":
                _settle(store, person, row, accept=given == "a")
    if rows and not sys.stdin.isatty():
        report.say("`dreamhook dream review --apply ID` makes a change, `--reject ID` refuses it")
    return 0


def _chosen(rows: list[dict[str, Any]], which: str) -> list[dict[str, Any]]:
    found = [row for row in rows if which == "all" or row["proposal"]["id"] == which]
    if not found and which != "all":
        raise DreamError(f"no open proposal {which!r}; `dreamhook dream review` names them all")
    return found


def _show(row: dict[str, Any]) -> None:
    one, standing = row["proposal"], row["memory"]
    click.echo(f"{one['id']}  {one['action']} {one['path']} ({one['scope']}): {one['why']}")
    click.echo(f"not made because: {one['reason']}")
    old = standing["content"] if standing and standing["status"] == "current" else ""
    click.echo(
        report.text_diff(one["path"], old, "" if one["action"] == "retire" else one["content"])
        + "\n"
    )


def _settle(store: Store, person: str, row: dict[str, Any], *, accept: bool) -> str:
    """Carry out the person's decision; why it could not be, or ""."""
    one, standing = row["proposal"], row["memory"]
    version = Version(
        scope=one["scope"],
        path=one["path"],
        note=note_file.parse(one["content"]),
        owner=person,
        repository=one.get("repository"),
        read_version=int(one["read_version"]),
        status="superseded" if one["action"] == "retire" else "current",
        content=one["content"],
    )

    def work(tx: ManagedTransaction) -> bool:
        at = now()
        if accept and note_versions.write(tx, version, at) is None:
            return False
        status = "applied" if accept else "rejected"
        tx.run(
            statement("dream_decide"),
            {"id": one["id"], "person": person, "status": status, "at": at},
        ).consume()
        return True

    gone = _forgotten(store, person, version) if accept else ""
    if gone:
        report.problem(f"{one['id']}: {gone}; reject it")
        return gone
    if store.transaction(work):
        report.say(f"{one['id']}: {one['path']} {'changed' if accept else 'left as it is'}")
        return ""
    present = standing["version"] if standing else "none"
    why = f"{one['path']} has changed since (version {present}); reject it, a later dream proposes again"
    report.problem(f"{one['id']}: {why}")
    return why


def _forgotten(store: Store, person: str, version: Version) -> str:
    """Why the person would not want it any more: what it says, or rests on, was forgotten since it was proposed."""
    key = load_key(paths.make_private(paths.config_dir()))
    content = str(version.content)
    if tombstones.without(tombstones.load(store, person, key), content) != content:
        return "it says what you had forgotten"
    cited = set(note_versions.events_of(version.note))
    there = store.read("dream_events_at", person=person, events=list(cited))
    return "part of what it rests on was forgotten" if len(there) < len(cited) else ""
