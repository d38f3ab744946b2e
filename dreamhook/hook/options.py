"""The command line of both hooks, read by hand: argparse costs more than the whole hook."""

import os


def parse(argv: list[str]) -> tuple[str, bytes]:
    """`--client NAME [--nothing TEXT] [--home FOLDER] [log_event|inject]` → (client, what to print for nothing).

    `--home` is how an installation with its own DREAMHOOK_HOME reaches hooks whose environment lacks it.
    """
    client, nothing = "", ""
    for name, value in zip(argv, argv[1:], strict=False):
        if name == "--client":
            client = value
        elif name == "--nothing":
            nothing = value
        elif name == "--home":
            os.environ["DREAMHOOK_HOME"] = value
    return client, nothing.encode() + b"\n" if nothing else b""


def switched_off() -> bool:
    return os.environ.get("DREAMHOOK_OFF") == "1"
