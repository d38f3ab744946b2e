"""`dreamhook dream …` runs the dream program; its options are its own."""

import os
import sys

import click


@click.command(
    "dream",
    context_settings={
        "ignore_unknown_options": True,
        "allow_extra_args": True,
        "help_option_names": [],
    },
    short_help="Turn what is new into memories (asks Claude).",
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def dream(arguments: tuple[str, ...]) -> None:
    os.execv(sys.executable, [sys.executable, "-I", "-m", "dream.dream", *arguments])
