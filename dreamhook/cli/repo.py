"""`dreamhook repo …`: which checkouts count as which repository. Only you decide; a checkout can merely claim."""

import json
import os
import sys
from dataclasses import asdict
from typing import Any

import click

PLAIN_WIDTH = 200
"""Columns when a program reads the table."""


@click.group("repo")
def repo_group() -> None:
    """Look at and decide which folders count as which repository."""


@repo_group.command("list")
@click.option("--new", "only_new", is_flag=True, help="Only those that nobody has decided about.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def list_(only_new: bool, as_json: bool) -> None:
    """Every folder an agent worked in: what it says it is, and what it counts as."""
    from dreamhook import config
    from dreamhook.repository import checkouts

    policy = config.load().repositories
    known = checkouts.load()
    if not known.readable:
        raise click.ClickException(
            f"{checkouts.file()} is damaged: no repository's memories are shown; correct or remove it"
        )
    rows = [
        _row(place, known, policy)
        for place in known.places.values()
        if place.state == "new" or not only_new
    ]
    rows.sort(key=lambda row: (row["name"], row["place"]))
    if as_json:
        click.echo(json.dumps(rows, indent=2))
    elif not rows:
        click.echo(
            "nothing new"
            if only_new
            else "no checkout seen yet; they are noted when an agent works in them"
        )
    else:
        _table(rows)


@repo_group.command()
@click.argument("folders", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All that are new.")
def approve(folders: tuple[str, ...], everything: bool) -> None:
    """Let FOLDERS (default: this one) count as the repository they name."""
    from dreamhook.repository import checkouts

    chosen = [
        place for place in checkouts.load().places.values() if everything and place.state == "new"
    ]
    for place in chosen + [_at(folder) for folder in folders or (() if everything else (".",))]:
        _decide(place, "approved")


@repo_group.command()
@click.argument("folders", nargs=-1)
def block(folders: tuple[str, ...]) -> None:
    """Record nothing in FOLDERS (default: this one) and recall nothing there. `approve` takes it back."""
    for folder in folders or (".",):
        _decide(_at(folder), "blocked")


@repo_group.command()
@click.argument("folder")
@click.argument("repository")
def alias(folder: str, repository: str) -> None:
    """Let FOLDER count as REPOSITORY: an id or a name from `repo list`, or another checkout's folder."""
    from dreamhook.repository import checkouts

    place = _at(folder)
    known = checkouts.load().places.values()
    ids = {one.repository for one in known if repository in (one.repository, one.name, one.claim)}
    if not ids and os.path.isdir(repository):
        ids = {_at(repository).repository}
    if len(ids) != 1:
        what = "no repository" if not ids else "more than one repository"
        raise click.ClickException(
            f"{what} is called {repository!r}; `dreamhook repo list` shows the ids"
        )
    _decide(place, "approved", ids.pop())


def _decide(place: Any, state: Any, repository: str | None = None) -> None:
    from dreamhook.repository import checkouts, exclusion, pause

    try:
        decided = checkouts.decide(place, state, repository)
        exclusion.refresh()
    except (checkouts.NotWritten, OSError) as error:
        raise click.ClickException(f"nothing was changed: {error}") from error
    pause.drop_packs()
    what = "is closed to dreamhook" if state == "blocked" else f"counts as {decided.repository}"
    click.echo(f"{_printable(decided.place)} {what}")


def _at(folder: str) -> Any:
    """The pair of a folder: the one it has now, or, if it is gone, the one that was noted."""
    from dreamhook.repository import checkouts

    if os.path.isdir(folder):
        try:
            return checkouts.seen(folder)
        except (checkouts.NotWritten, OSError) as error:
            raise click.ClickException(f"nothing was changed: {error}") from error
    noted = [
        place
        for place in checkouts.load().places.values()
        if place.place == os.path.abspath(folder)
    ]
    if len(noted) != 1:
        raise click.ClickException(
            f"no checkout at {folder}; `dreamhook repo list` shows those that are known"
        )
    return noted[0]


def _row(place: Any, known: Any, policy: str) -> dict[str, Any]:
    others = [
        one
        for one in known.places.values()
        if one.repository == place.repository and one.place != place.place
    ]
    waiting = place.state == "new" and policy == "strict"
    return asdict(place) | {
        "paused": place.repository in known.paused,
        "memories": place.state != "blocked"
        and not waiting
        and place.repository not in known.paused,
        "also_at": sorted({one.place for one in others}),
    }


def _table(rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    table = Table(
        Column("folder", no_wrap=True),
        "says it is",
        "counts as",
        "state",
        "also at",
        box=None,
        pad_edge=False,
    )
    for row in rows:
        state = (
            row["state"]
            + (", paused" if row["paused"] else "")
            + ("" if row["memories"] else ", no memories")
        )
        claim = "a folder" if row["claim"] == row["place"] else row["claim"]
        cells = (row["place"], claim, row["repository"], state, ", ".join(row["also_at"]))
        table.add_row(
            *(Text(_printable(cell)) for cell in cells)
        )  # as text: brackets in a name are no markup
    Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH).print(table)


def _printable(text: str) -> str:
    """A folder's name may hold bytes that are no text."""
    return text.encode("utf-8", "replace").decode()
