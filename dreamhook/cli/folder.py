"""`dreamhook export DIR` and `dreamhook import DIR`: the notes as a folder of markdown files."""

import json
import sys
from pathlib import Path

import click

from dreamhook.cli.store import opened


@click.command("export")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def export_notes(folder: Path, as_json: bool) -> None:
    """Write every note to FOLDER, a markdown file each, byte for byte as stored."""
    from dreamhook import folder as folders

    with opened() as (driver, database, settings):
        try:
            written = folders.write(driver, settings.person, folder, database)
        except OSError as error:
            raise click.ClickException(f"{error}; nothing was overwritten") from error
    if as_json:
        click.echo(json.dumps([str(file) for file in written], ensure_ascii=False, indent=2))
    else:
        click.echo(f"{len(written)} notes written to {folder}")


@click.command("import")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def import_notes(folder: Path, as_json: bool) -> None:
    """Take the notes of FOLDER over; each changed one is a new version, made by hand. Others stay as they are."""
    from dreamhook import folder as folders
    from dreamhook.recall import packs

    with opened() as (driver, database, settings):
        done = list(folders.read(driver, settings.person, folder, database))
        packs.refresh(driver, settings, database)
    refused = [one for one in done if one.outcome == "refused"]
    if as_json:
        rows = [{"file": str(one.file), "outcome": one.outcome, "why": one.why or None} for one in done]
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        counts = {name: sum(one.outcome == name for one in done) for name in ("made", "changed", "same")}
        click.echo(", ".join(f"{number} {name}" for name, number in counts.items()) + f", {len(refused)} refused")
    for one in refused:
        click.echo(f"{one.file}: refused: {one.why}", err=True)
    sys.exit(1 if refused else 0)
