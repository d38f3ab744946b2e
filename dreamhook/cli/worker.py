"""`dreamhook worker start|stop|status`."""

import json
import sys

import click

from dreamhook.worker import control


@click.group("worker")
def worker_group() -> None:
    """The resident process that uploads and answers. Hooks start it by themselves."""


@worker_group.command()
def start() -> None:
    """Start it unless it runs."""
    found = control.start()
    if not found:
        click.echo(
            "dreamhook: the worker did not come up; nothing is lost, see the log (`dreamhook doctor`)",
            err=True,
        )
        sys.exit(1)
    click.echo(f"worker running, pid {found['pid']}")


@worker_group.command()
def stop() -> None:
    """Let it upload what it holds and leave."""
    if not control.stop():
        click.echo("dreamhook: the worker is still busy; try again, nothing is lost", err=True)
        sys.exit(1)
    click.echo("worker stopped")


@worker_group.command("status")
@click.option("--json", "as_json", is_flag=True, help="Machine-readable.")
def status(as_json: bool) -> None:
    """Whether it runs, and what it did."""
    found = control.status()
    if as_json:
        click.echo(json.dumps({"running": found is not None, **(found or {})}))
    elif found:
        click.echo("\n".join(f"{name:10} {value}" for name, value in found.items()))
    else:
        click.echo("not running (a hook starts it when needed)")
