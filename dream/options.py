"""The options of `dreamhook dream`, and its commands that only look or take back."""

import argparse

EPILOG = """\
commands (instead of options):
  dream log                 the last dreams: when, about what, what came of it, what it cost; what is parked
  dream show ID             one dream: its sessions, its changes and why
  dream diff ID             what it changed, as a diff
  dream undo ID [--force]   give every note of that dream its previous text back
  dream review [--apply ID|all] [--reject ID|all]
                            changes that were proposed and not made; also: dream --review

files: `--export-requests DIR` writes one <id>.request.json per request: {"id", "context", "request"}; `request` is
what messages.create would be given. Put an answer beside it as <id>.json (the answer object {reasoning, sessions,
changes}, or a Messages API response) or <id>.txt (any text that holds the answer's JSON), then `--import-responses
DIR` applies it through the same checks. An answer whose events were dreamed meanwhile is refused with the reason.
"""


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(
        prog="dreamhook dream",
        description="Consolidate new events into memories.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = found.add_argument
    add(
        "--dry-run",
        action="store_true",
        help="ask Claude (this costs a call), show the changes, write nothing",
    )
    add(
        "--now",
        action="store_true",
        help="also sessions that still run, and when --scheduled is not due yet",
    )
    add("--repo", metavar="REPO", help="only this repository: its name, id, remote or folder")
    add(
        "--session",
        metavar="ID",
        default="",
        help="only sessions whose id begins so; the others wait",
    )
    add(
        "--since",
        metavar="WHEN",
        default="",
        help="only sessions active since a date, or 90m, 3h, 2d; the others wait",
    )
    add("--scheduled", action="store_true", help="for timers: do nothing, quietly, when not due")
    add("--backend", choices=["auto", "api", "batch", "claude"], help="instead of [dream] backend")
    add(
        "--allow-pinned",
        action="store_true",
        help="rewrite pinned and hand-edited notes, instead of proposing to",
    )
    add(
        "--retry-parked", action="store_true", help="try again what failed or was put off too often"
    )
    add("--export-requests", metavar="DIR", help="write the requests to files instead of asking")
    add("--import-responses", metavar="DIR", help="apply answers to exported requests")
    add("--json", action="store_true", help="print the result as JSON")
    return found


def looking() -> argparse.ArgumentParser:
    """`dream log|show|diff|undo|review`."""
    found = argparse.ArgumentParser(prog="dreamhook dream")
    commands = found.add_subparsers(dest="command", required=True)
    log = commands.add_parser("log", help="the last dreams")
    log.add_argument("--limit", type=int, default=20)
    for name, what in (
        ("show", "one dream"),
        ("diff", "what a dream changed"),
        ("undo", "take a dream back"),
    ):
        one = commands.add_parser(name, help=what)
        one.add_argument("id", help="the dream's id or its beginning")
        if name == "undo":
            one.add_argument(
                "--force", action="store_true", help="also notes that were changed since"
            )
    review = commands.add_parser("review", help="changes that were proposed and not made")
    review.add_argument("--apply", metavar="ID", default="")
    review.add_argument("--reject", metavar="ID", default="")
    for one in commands.choices.values():
        one.add_argument("--json", action="store_true")
    return found
