"""The command line. Each command imports what it needs when it runs, so that `--help` and `status` stay quick.

doctor: `dreamhook doctor`: what is wrong, and what to do about it.
dream: `dreamhook dream …` runs the dream program; its options are its own.
folder: `dreamhook export DIR` and `dreamhook import DIR`: the notes as a folder of markdown
    files.
forget: `dreamhook forget`: takes out of the memory what should never have been in it.
fresh: `dreamhook fresh`: sessions that are told nothing of earlier ones, for as long as the
    switch is on.
memory: `dreamhook memory …`: what is remembered.
memory_change: `dreamhook memory edit|rm|undo|history|pin|unpin`: what a person changes about what
    is remembered.
neo4j: `dreamhook neo4j start|stop|status|browse`.
pause: `dreamhook pause` and `resume`: the switch that also reaches sessions which run already.
repo: `dreamhook repo …`: which checkouts count as which repository.
search: `dreamhook memory search`: what a prompt would bring, by the same code as the hook, and
    why.
spool: `dreamhook drain`: wait until all that is spooled now is in the store.
status: `dreamhook status`: how things are.
store: the store, opened for one command.
worker: `dreamhook worker start|stop|status`.
"""

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
