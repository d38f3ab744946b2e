"""`dreamhook forget`: takes out of the memory what should never have been in it."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from dreamhook.cli.store import opened

SHOWN = 20


@click.command("forget")
@click.option("--session", metavar="ID", help="A session, by its id or how the id begins.")
@click.option(
    "--repo", metavar="REPO", help="A repository: its id, name, remote or folder. Its notes go too."
)
@click.option("--path", metavar="PATH", help="What happened in a folder, or to a file.")
@click.option(
    "--since", metavar="WHEN", help="From then on: 2026-11-29, 2026-11-29T14:00, 90m, 3h or 2d."
)
@click.option("--match", metavar="TEXT", help="What holds this text, in any case.")
@click.option(
    "--yes",
    is_flag=True,
    help="Do it; without this it is shown, and asked about where there is a terminal.",
)
@click.option("--json", "as_json", is_flag=True, help="The preview as JSON.")
def forget(yes: bool, as_json: bool, **conditions: str | None) -> None:
    """Forget events, what was learned from them alone, and what waits in the queue. All conditions given must hold.

    Notes that also rest on something else stay; they lose the text, or are marked as due for review. There is no undo.
    """
    if not any(conditions.values()):
        raise click.UsageError("say what to forget: --session, --repo, --path, --since or --match")
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        _forget(yes, as_json, conditions)
    except (DriverError, Neo4jError) as error:
        what = f"the store went away ({type(error).__name__})"
        raise click.ClickException(
            f"{what}; what is gone is gone, the same command again does the rest"
        ) from error


def _forget(yes: bool, as_json: bool, conditions: dict[str, str | None]) -> None:
    from dreamhook import paths
    from dreamhook.forget import plan as forgetting
    from dreamhook.record import drain
    from dreamhook.scrub.key import load_key
    from dreamhook.store.schema import migrate

    with opened() as (store, settings):
        migrate(store)
        with drain.turn():
            _upload(store, settings)
        wish = _wish(store, settings, **conditions)
        found = forgetting.plan(store, settings.person, wish)
        _show(found, as_json)
        if found.empty() and not wish.is_match_alone():
            return
        if not yes and not _confirmed(as_json):
            return
        with drain.turn():  # what came while the question stood goes too
            _upload(store, settings)
            found = forgetting.plan(store, settings.person, wish)
            key = load_key(paths.make_private(paths.config_dir()))
            with _progress(len(found.events)) as advance:
                forgetting.carry_out(store, settings.person, wish, found, key, advance)
    if not as_json:
        click.echo(
            f"forgotten: {len(found.events)} events, {len(found.notes)} notes, {len(found.files)} files"
        )


@contextmanager
def _progress(events: int) -> Iterator[Callable[[int], object]]:
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), disable=not sys.stderr.isatty()) as shown:
        task = shown.add_task("forgetting", total=events)
        yield lambda more: shown.advance(task, more)


def _upload(store: Any, settings: Any) -> None:
    """So that all is in one place. Call it inside `drain.turn()`."""
    from dreamhook.record import drain

    while drain.drain_round(store, settings).progress():
        pass


def _wish(store: Any, settings: Any, **given: str | None) -> Any:
    from dreamhook.forget import plan as forgetting
    from dreamhook.forget.local_files import Wish

    session, repo = given["session"], given["repo"]
    if session:
        session = _one(
            forgetting.session_ids(store, settings.person, session),
            f"session {session!r}",
        )
    if repo:
        ids = forgetting.repository_ids(store, repo)
        if not ids and os.path.isdir(repo):
            from dreamhook.repository.checkouts import standing

            ids = [standing(repo, settings.repositories, note=False).repository.id]
        repo = _one(ids, f"repository {repo!r}")
    path = os.path.abspath(os.path.expanduser(given["path"])) if given["path"] else None
    return Wish(
        session, repo, path, _since(given["since"]) if given["since"] else None, given["match"]
    )


def _one(found: list[str], what: str) -> str:
    if len(found) == 1:
        return found[0]
    if found:
        raise click.ClickException(f"{what} is not clear: {', '.join(found[:5])}")
    raise click.ClickException(f"no {what}; nothing was changed")


def _since(text: str) -> str:
    from dreamhook.since import since

    try:
        return since(text)
    except ValueError as error:
        raise click.ClickException(str(error)) from error


def _show(found: Any, as_json: bool) -> None:
    sessions = [
        {"client": client, "session": name, "events": n}
        for (client, name), n in found.sessions.items()
    ]
    if as_json:
        notes = [{"scope": scope, "path": path} for scope, path in found.notes]
        checked = [{"scope": scope, "path": path} for scope, path in found.checked]
        told = {
            "events": len(found.events),
            "sessions": sessions,
            "notes": notes,
            "notes_kept_and_checked": checked,
        }
        click.echo(json.dumps(told | {"files": found.files}, ensure_ascii=False))
        return
    click.echo(f"{len(found.events)} events of {len(sessions)} sessions")
    lines = [f"  {one['events']:6} {one['client']} {one['session']}" for one in sessions]
    lines += [
        f"  note removed with all its versions: {path} ({scope})" for scope, path in found.notes
    ]
    lines += [
        f"  note kept without the text, or due for review: {path} ({scope})"
        for scope, path in found.checked
    ]
    lines += [f"  file: {file}" for file in found.files]
    click.echo(
        "\n".join(
            [
                *lines[:SHOWN],
                *([f"  … and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []),
            ]
        )
    )


def _confirmed(as_json: bool) -> bool:
    if as_json or not sys.stdin.isatty():
        click.echo("nothing was changed; --yes does it", err=True)
        return False
    return click.confirm("Forget this? It cannot be undone.", err=True)
