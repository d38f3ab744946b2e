"""`dreamhook fresh`: sessions that are told nothing of earlier ones, for as long as the switch is on."""

from pathlib import Path

import click

from dreamhook import paths


@click.command("fresh")
@click.option("--off", is_flag=True, help="Tell sessions what is remembered again.")
def fresh(off: bool) -> None:
    """Start sessions clean: what they do is recorded, nothing is recalled. For one session, set DREAMHOOK_FRESH=1."""
    paths.make_private(paths.state_dir())
    switch = Path(paths.state_file(paths.FRESH))
    if off:
        switch.unlink(missing_ok=True)
        click.echo("sessions are told what is remembered")
    else:
        switch.touch(mode=0o600)
        click.echo(
            "sessions are told nothing of earlier ones, until `dreamhook fresh --off`; they are still recorded"
        )
