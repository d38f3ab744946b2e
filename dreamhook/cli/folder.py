"""`dreamhook export DIR` and `dreamhook import DIR`: the notes as a folder of markdown files."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from dreamhook.cli.store import opened

if TYPE_CHECKING:
    from dreamhook.memory.folder import Read


@click.command("export")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def export_notes(folder: Path, as_json: bool) -> None:
    """Write every note to FOLDER, a markdown file each, byte for byte as stored."""
    from dreamhook.memory import folder as folders

    with opened() as (store, settings):
        try:
            done = folders.write(store, settings.person, folder)
        except OSError as error:
            raise click.ClickException(f"{error}; nothing was overwritten") from error
    written = [str(one.file) for one in done if one.outcome == "written"]
    if as_json:
        click.echo(json.dumps(written, ensure_ascii=False, indent=2))
    else:
        click.echo(f"{len(written)} notes written to {folder}")
    _end(done)


@click.command("import")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def import_notes(folder: Path, as_json: bool) -> None:
    """Take the notes of FOLDER over; each changed one is a new version, made by hand. Others stay as they are."""
    from dreamhook.memory import folder as folders
    from dreamhook.recall import start_cache

    with opened() as (store, settings):
        done = list(folders.read(store, settings.person, folder))
        start_cache.refresh(store, settings)
    refused = [one for one in done if one.outcome == "refused"]
    if as_json:
        rows = [
            {"file": str(one.file), "outcome": one.outcome, "why": one.why or None} for one in done
        ]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        counts = {
            name: sum(one.outcome == name for one in done) for name in ("made", "changed", "same")
        }
        click.echo(
            ", ".join(f"{number} {name}" for name, number in counts.items())
            + f", {len(refused)} refused"
        )
    _end(done)


def _end(done: "list[Read]") -> NoReturn:
    """Say which were refused and why; exit status 1 when any was."""
    refused = [one for one in done if one.outcome == "refused"]
    for one in refused:
        click.echo(f"{one.file}: refused: {one.why}", err=True)
    sys.exit(1 if refused else 0)
