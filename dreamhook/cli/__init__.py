"""The command line. Each command imports what it needs when it runs, so that `--help` and `status` stay quick."""

import sys

import click

from dreamhook import __version__
from dreamhook.cli.doctor import doctor
from dreamhook.cli.dream import dream
from dreamhook.cli.folder import export_notes, import_notes
from dreamhook.cli.forget import forget
from dreamhook.cli.fresh import fresh
from dreamhook.cli.memory import memory_group
from dreamhook.cli.neo4j import neo4j_group
from dreamhook.cli.pause import pause, resume
from dreamhook.cli.repo import repo_group
from dreamhook.cli.search import search
from dreamhook.cli.spool import drain
from dreamhook.cli.status import status
from dreamhook.cli.worker import worker_group
from dreamhook.config import ConfigError
from dreamhook.store.endpoint import StoreUnavailable


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dreamhook")
def cli() -> None:
    """One memory under every coding agent, that you own."""


memory_group.add_command(search)
for command in (
    *(status, doctor, drain, dream, memory_group, repo_group),
    *(export_notes, import_notes, forget, pause, resume, fresh, neo4j_group, worker_group),
):
    cli.add_command(command)


def main() -> None:
    """Entry point: expected trouble is one line on stderr and exit status 1."""
    try:
        cli()
    except (ConfigError, StoreUnavailable) as error:
        click.echo(f"dreamhook: {error}", err=True)
        sys.exit(1)
