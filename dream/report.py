"""What a dream tells the person: progress, what was written and why, what waits, what it cost."""

import argparse
import difflib
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from neo4j import Record

from dream import budget
from dream.check import Change
from dream.chunk import Unit
from dream.unit import Dreamer, Part
from dreamhook.memory import note_file


@contextmanager
def progress(what: str) -> Iterator[None]:
    """A spinner on stderr while the block runs; nothing without a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(what):
        yield


def say(line: str, *, quiet: bool = False) -> None:
    if not quiet:
        click.echo(f"dream: {line}")


def problem(line: str) -> None:
    click.echo(f"dream: {line}", err=True)


def before(units: Sequence[Unit], dreamer: Dreamer, *, quiet: bool) -> None:
    """What is to be done and what may be spent; before the first request."""
    if not quiet:
        limits = dreamer.budget.limits
        say(
            f"{len(units)} {'repository' if len(units) == 1 else 'repositories'} with something new; "
            f"{dreamer.model} by {dreamer.backend}; "
            f"today {dreamer.budget.today:,} of {limits.tokens_per_day:,} tokens used, this run at most "
            f"{limits.tokens_per_run:,} in {limits.calls_per_run} calls"
        )


def exported(written: list[Path], asked: argparse.Namespace) -> int:
    if asked.json:
        click.echo(
            json.dumps({"requests": [str(file) for file in written]}, ensure_ascii=False, indent=2)
        )
    else:
        say(
            f"{len(written)} requests written to {asked.export_requests}; nothing was asked, nothing was stored"
        )
    return 0


def result(
    parts: list[Part],
    notes: list[str],
    left: Sequence[Record],
    dreamer: Dreamer,
    asked: argparse.Namespace,
) -> int:
    """Tell everything; the exit status: 1 when something failed."""
    if asked.json:
        _as_json(parts, notes, left, dreamer, asked.dry_run)
    else:
        _as_text(parts, notes, dreamer, dry_run=asked.dry_run, quiet=asked.scheduled)
        _left(left, quiet=asked.scheduled)
    return (
        1
        if any(part.error for part in parts) or any(": refused: " in note for note in notes)
        else 0
    )


def _as_text(
    parts: list[Part], notes: list[str], dreamer: Dreamer, *, dry_run: bool, quiet: bool
) -> None:
    """`quiet`: nothing when nothing was new."""
    for note in notes:
        (problem if ": refused: " in note else say)(note)
    if not parts:
        if not notes:
            say("nothing new, no call made", quiet=quiet)
        return
    for part in parts:
        _part(part, dry_run)
    for name in dict.fromkeys(part.unit.name for part in parts):
        of_unit = [part for part in parts if part.unit.name == name]
        if not any(
            part.decision.changes or part.decision.held or part.error or part.left
            for part in of_unit
        ):
            say(f"{name}: nothing to keep")
    spent = budget.told(dreamer.model, dreamer.usage, batch=dreamer.backend == "batch")
    say(f"{spent}{'; dry run: nothing was written' if dry_run else ''}")


def _left(left: Sequence[Record], *, quiet: bool) -> None:
    if left and not quiet:
        names = ", ".join(f"{row['client']} {row['session_id'][:8]}" for row in left[:5])
        more = f" and {len(left) - 5} more" if len(left) > 5 else ""
        say(
            f"left until they end or fall silent: {names}{more}; `dreamhook dream --now` includes them"
        )


def _as_json(
    parts: list[Part], notes: list[str], left: Sequence[Record], dreamer: Dreamer, dry_run: bool
) -> None:
    """One object on stdout: `parts` (repository, error, changes, proposed, dropped, deferred), `usage`, `running`."""
    told = {
        "dry_run": dry_run,
        "usage": vars(dreamer.usage) | {"cost_usd": budget.cost(dreamer.model, dreamer.usage)},
        "parts": [_as_dict(part) for part in parts],
        "notes": notes,
        "running": [{"client": row["client"], "session": row["session_id"]} for row in left],
    }
    click.echo(json.dumps(told, ensure_ascii=False, indent=2))
    for part in parts:
        if part.error:
            problem(_failure(part))


def _part(part: Part, dry_run: bool) -> None:
    name, would = part.unit.name, "would " if dry_run else ""
    if part.error:
        problem(_failure(part))
    if part.left:
        say(f"{name}: more events wait for the next dream: {part.left}")
    for change in part.decision.changes:
        say(
            f"{name}: {would}{change.action} {change.version.path}"
            + (f" ({change.why})" if change.why else "")
        )
        if dry_run:
            click.echo(diff(change))
    for change in part.decision.held:
        say(
            f"{name}: {would}propose to {change.action} {change.version.path}: {change.hold} (`dreamhook dream review`)"
        )
    for path, reason in part.decision.dropped:
        say(f"{name}: dropped a change of {path}: {reason}")
    for session, why in part.decision.deferred:
        say(f"{name}: session {session.session_id[:8]} is offered again: {why}")


def diff(change: Change) -> str:
    """Old to new file, as a unified diff."""
    new = (
        ""
        if change.action == "retire"
        else change.version.content or note_file.serialise(change.version.note)
    )
    return text_diff(change.version.path, change.old_content, new)


def text_diff(path: str, before: str, after: str) -> str:
    """A unified diff; an empty text is no file."""
    lines = difflib.unified_diff(
        before.splitlines(),
        after.splitlines(),
        fromfile=path if before else "/dev/null",
        tofile=path if after else "/dev/null",
        lineterm="",
    )
    return "\n".join(lines)


def _failure(part: Part) -> str:
    return f"{part.unit.name}: {part.error}; nothing of it was stored, its events are offered again"


def _as_dict(part: Part) -> dict[str, Any]:
    return {
        "dream": part.dream or None,
        "repository": part.unit.repository,
        "name": part.unit.name,
        "error": part.error or None,
        "changes": [_change(change) for change in part.decision.changes],
        "proposed": [_change(change) | {"reason": change.hold} for change in part.decision.held],
        "dropped": [{"path": path, "reason": reason} for path, reason in part.decision.dropped],
        "deferred": [
            {"session": session.session_id, "why": why} for session, why in part.decision.deferred
        ],
        "settled": [session.session_id for session in part.decision.settled],
        "more_waiting": part.left or None,
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "path": change.version.path,
        "scope": change.version.scope,
        "action": change.action,
        "version": change.version.read_version + (change.action != "confirm"),
        "why": change.why,
        "content": change.version.content or note_file.serialise(change.version.note),
    }
