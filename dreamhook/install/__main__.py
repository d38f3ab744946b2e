"""What install.sh runs: the options, and one clear line for whatever goes wrong."""

import argparse
import os
import sys

from dreamhook import config, harness
from dreamhook.install.entries import Refused
from dreamhook.install.messages import say
from dreamhook.install.setup import set_up
from dreamhook.install.uninstall import uninstall
from dreamhook.store.endpoint import StoreUnavailable


def main(arguments: list[str]) -> int:
    """Exit status: 0 done, 1 not or not all, 2 wrong options, 130 interrupted."""
    chosen = options(arguments)
    if home := os.environ.get("DREAMHOOK_HOME"):
        os.environ["DREAMHOOK_HOME"] = os.path.abspath(
            home
        )  # it goes into commands that run elsewhere
    os.umask(0o077)
    try:
        return uninstall(chosen) if chosen.uninstall else set_up(chosen)
    except KeyboardInterrupt:
        say("interrupted; run it again to finish, or with --uninstall to go back")
        return 130
    except (Refused, config.ConfigError, StoreUnavailable) as error:
        say(str(error))
    return 1


def options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./install.sh",
        description="Set up dreamhook: one memory under every coding agent.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--yes", action="store_true", help="agree to the recording without being asked"
    )
    parser.add_argument(
        "--harness",
        metavar="A,B",
        help=f"only these of {','.join(harness.clients())}; default: those found here",
    )
    parser.add_argument(
        "--semantic",
        action="store_true",
        help="also compare notes by meaning: an embedding model, about 210 MB",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="show the exact change to each file, make none"
    )
    parser.add_argument(
        "--hooks-only",
        action="store_true",
        help="only the settings: no store, no timer, no self-test",
    )
    parser.add_argument(
        "--uninstall", action="store_true", help="take it out again; recorded data is kept"
    )
    parser.add_argument(
        "--purge",
        action="store_true",
        help="with --uninstall: remove recorded data and settings, too",
    )
    chosen = parser.parse_args(arguments)
    if chosen.purge and (not chosen.uninstall or chosen.harness):
        parser.error("--purge goes with --uninstall, and without --harness")
    named = [name.strip() for name in (chosen.harness or "").split(",") if name.strip()]
    if unknown := [name for name in named if name not in harness.clients()]:
        parser.error(
            f"unknown harness {', '.join(unknown)}; there are: {', '.join(harness.clients())}"
        )
    chosen.clients = list(dict.fromkeys(named))
    return chosen


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
