"""The recalling hook: stdin → the worker's socket → stdout.

The worker knows everything; the hook only carries bytes. Request: `inject/1 <client> <length>\\n` and the payload.
Reply: `<length>\\n` and what to print. Anything else, or too late: the last pack, or nothing.
"""

import os
import time

from dreamhook import paths
from dreamhook.hook import notify, stdin
from dreamhook.hook.consent import Options, parse, printed, started_in, switched_off, unwanted
from dreamhook.hook.payload import is_after_tool, is_start

DEADLINE_S = 0.25
START_DEADLINE_S = 0.15
"""A harness may not wait for a start's answer: what comes after its first prompt is lost."""


def main(argv: list[str]) -> None:
    options = parse(argv)
    answer = nothing = printed(options["--nothing"])
    try:
        began = time.monotonic()
        # also when off: a harness may mind that nobody reads what it writes
        payload = stdin.read(DEADLINE_S)
        after_tool = is_after_tool(payload, options)
        if after_tool:
            answer = nothing = printed(options["--nothing-after-tool"])
        needless = after_tool and is_needless(payload, options)
        if not (switched_off() or needless or fresh() or unwanted(payload)):
            reply = recalled(payload, options, began + patience_s(is_start(payload, options)))
            answer = reply or nothing
            if reply and options["--after-tool"]:
                settle(payload, options, reply)
    except Exception as error:  # the program's edge: the agent goes on, the log tells
        from dreamhook.hook import log

        log.line("inject", options["--client"], error)
    if answer:
        os.write(1, answer)


def fresh() -> bool:
    """Whether the person wants a session without anything from earlier ones."""
    return os.environ.get("DREAMHOOK_FRESH") == "1" or os.path.exists(paths.state_file(paths.FRESH))


def patience_s(start: bool) -> float:
    """How long this hook waits, counted from its own start; the worker, in its environment, goes by the same figure."""
    given = os.environ.get("DREAMHOOK_DEADLINE_MS", "")
    if given.isdigit():
        return int(given) / 1000
    return START_DEADLINE_S if start else DEADLINE_S


def is_needless(payload: bytes, options: Options) -> bool:
    """Whether what came after a tool is known to bring nothing, without asking."""
    from dreamhook.hook import settled

    return settled.is_needless(payload, options)


def settle(payload: bytes, options: Options, reply: bytes) -> None:
    """Remember what makes later questions after tools needless: something was told, or a tool answered for good."""
    nothings = (printed(options["--nothing"]), printed(options["--nothing-after-tool"]))
    if reply not in nothings or is_after_tool(payload, options):
        from dreamhook.hook import settled

        settled.note(payload, options)


def recalled(payload: bytes, options: Options, deadline: float) -> bytes:
    """The worker's answer, or the last pack."""
    folder = started_in()
    reply = ask(payload, options["--client"], deadline)
    if reply is None:
        from dreamhook.hook.cached_start import lookup

        reply = lookup(payload, options, folder)
    return reply


def ask(payload: bytes, client: str, deadline: float) -> bytes | None:
    """The worker's answer; None when there was none in time, and then a worker is on its way."""
    import _socket

    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        os.chdir(
            paths.state_dir()
        )  # a socket's path may be 107 bytes at most; a home's may be longer
        connection.settimeout(max(0.01, deadline - time.monotonic()))
        connection.connect(paths.WORKER_SOCKET)
        connection.sendall(f"inject/1 {client or '-'} {len(payload)}\n".encode() + payload)
        received = b""
        while True:
            connection.settimeout(max(0.001, deadline - time.monotonic()))
            chunk = connection.recv(1 << 16)
            if not chunk:
                break
            received += chunk
    except TimeoutError:
        return None
    except OSError:
        notify.ring()
        return None
    finally:
        connection.close()
    length, _, reply = received.partition(b"\n")
    return reply if length.isdigit() and int(length) == len(reply) else None
