"""What a dream tells the person: progress, what was written and why, what waits, what it cost."""

import difflib
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from dream.check import Change
from dream.consolidate import Usage
from dream.unit import Part
from dreamhook import memory


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


def as_text(parts: list[Part], usage: Usage, *, dry_run: bool, quiet: bool) -> None:
    """`quiet`: nothing when nothing was new."""
    if not parts:
        say("nothing new, no call made", quiet=quiet)
        return
    for part in parts:
        _part(part, dry_run)
    for name in dict.fromkeys(part.unit.name for part in parts):
        if not any(part.decision.changes or part.error for part in parts if part.unit.name == name):
            say(f"{name}: nothing to keep")
    calls = "1 call" if usage.calls == 1 else f"{usage.calls} calls"
    spent = f"{calls}, {usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
    say(f"{spent}{'; dry run: nothing was written' if dry_run else ''}")


def as_json(parts: list[Part], usage: Usage, dry_run: bool) -> None:
    """One object on stdout: `parts` (repository, error, changes, dropped, deferred), `usage`, `dry_run`."""
    told = {"dry_run": dry_run, "usage": vars(usage), "parts": [_as_dict(part) for part in parts]}
    click.echo(json.dumps(told, ensure_ascii=False, indent=2))
    for part in parts:
        if part.error:
            problem(_failure(part))


def _part(part: Part, dry_run: bool) -> None:
    name = part.unit.name
    if part.error:
        problem(_failure(part))
    if part.left:
        say(f"{name}: more events wait for the next dream")
    for change in part.decision.changes:
        say(
            f"{name}: {'would ' if dry_run else ''}{change.action} {change.version.path}"
            + (f" ({change.why})" if change.why else "")
        )
        if dry_run:
            click.echo(diff(change))
    for path, reason in part.decision.dropped:
        say(f"{name}: dropped a change of {path}: {reason}")
    for session, why in part.decision.deferred:
        say(f"{name}: session {session.session_id[:8]} is offered again: {why}")


def diff(change: Change) -> str:
    """Old to new file, as a unified diff."""
    retired = change.action == "retire"
    new = "" if retired else memory.serialise(change.version.note)
    path = change.version.path
    lines = difflib.unified_diff(
        change.old_content.splitlines(),
        new.splitlines(),
        fromfile=path if change.old_content else "/dev/null",
        tofile="/dev/null" if retired else path,
        lineterm="",
    )
    return "\n".join(lines)


def _failure(part: Part) -> str:
    return f"{part.unit.name}: {part.error}; nothing of it was stored, its events are offered again"


def _as_dict(part: Part) -> dict[str, Any]:
    return {
        "repository": part.unit.repository,
        "name": part.unit.name,
        "error": part.error or None,
        "changes": [
            {
                "path": change.version.path,
                "scope": change.version.scope,
                "action": change.action,
                "version": change.version.read_version + 1,
                "why": change.why,
                "content": memory.serialise(change.version.note),
            }
            for change in part.decision.changes
        ],
        "dropped": [{"path": path, "reason": reason} for path, reason in part.decision.dropped],
        "deferred": [{"session": session.session_id, "why": why} for session, why in part.decision.deferred],
        "more_waiting": part.left,
    }
