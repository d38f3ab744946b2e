"""The recording hook: stdin → scrub on suspicion → spool → ring the worker."""

import os

from dreamhook.hook import notify, stdin
from dreamhook.hook.consent import parse, printed, switched_off, unwanted
from dreamhook.scrub.literals import suspicious
from dreamhook.spool import writer

STDIN_PATIENCE_S = 2.0


def main(argv: list[str]) -> None:
    options = parse(argv)
    client, nothing = options["--client"], printed(options["--nothing"])
    try:
        payload = stdin.read(
            STDIN_PATIENCE_S
        )  # also when off: a harness may mind that nobody reads what it writes
        if not switched_off():
            record(payload, client)
    except Exception as error:  # the program's edge: the agent goes on, the log tells
        from dreamhook.hook import log

        log.line("log_event", client, error)
    if nothing:
        os.write(1, nothing)


def record(payload: bytes, client: str) -> None:
    if not payload.strip() or unwanted(payload):
        return
    if suspicious(payload):
        from dreamhook import paths
        from dreamhook.scrub.key import passing_key
        from dreamhook.scrub.scrub import scrub_payload

        payload = scrub_payload(payload, passing_key(paths.config_dir()))
    writer.put(payload, client)
    notify.ring()
