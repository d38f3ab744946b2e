"""`dreamhook memory …`: what is remembered."""

import json
import sys
from datetime import UTC, datetime
from typing import Any

import click

from dreamhook.cli.memory_change import COMMANDS, as_text, found
from dreamhook.cli.store import opened

PLAIN_WIDTH = 200
"""Columns when a program reads the table."""


@click.group("memory")
def memory_group() -> None:
    """Look at what is remembered, and change it."""


for _command in COMMANDS:
    memory_group.add_command(_command)


@memory_group.command("list")
@click.option("--all", "everything", is_flag=True, help="Also notes that are no longer current.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def list_(everything: bool, as_json: bool) -> None:
    """Your memories, by repository and path."""
    from dreamhook.memory import note_versions

    with opened() as (store, settings):
        rows = note_versions.listing(store, settings.person, superseded=everything)
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2, default=str))
    elif not rows:
        click.echo("no memories yet; `dreamhook dream` makes them from recorded sessions")
    else:
        _table(rows)


@memory_group.command("show")
@click.argument("path")
@click.option(
    "--repo", help="Which repository's, when more than one has this path: its name or id."
)
@click.option("--json", "as_json", is_flag=True, help="With everything that is stored, as JSON.")
def show(path: str, repo: str | None, as_json: bool) -> None:
    """One memory, as the markdown file it is."""
    with found(path, repo) as place:
        row = place.note
    if as_json:
        click.echo(json.dumps(row, ensure_ascii=False, indent=2, default=str))
    else:
        click.echo(as_text(row.get("content")).rstrip("\n"))


def _table(rows: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Column, Table
    from rich.text import Text

    table = Table(
        "where",
        Column("path", no_wrap=True),
        "description",
        "version",
        "review by",
        box=None,
        pad_edge=False,
    )
    today = datetime.now(UTC).date().isoformat()
    for row in rows:
        of = {name: as_text(value) for name, value in row.items()}
        ended = bool(of["expires"]) and of["expires"] <= today
        state = of["status"] if of["status"] != "current" else "expired" if ended else ""
        path = f"{of['path']} ({state})" if state else of["path"]
        cells = (
            of["repository"] or "everywhere",
            path,
            of["description"],
            of["version"],
            of["review_by"],
        )
        table.add_row(*map(Text, cells))  # as text: brackets in a description are no markup
    Console(width=None if sys.stdout.isatty() else PLAIN_WIDTH).print(table)
