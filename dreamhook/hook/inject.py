"""The recalling hook: stdin → the worker's socket → stdout.

The worker knows everything; the hook only carries bytes. Request: `inject/1 <client> <length>\\n` and the payload.
Reply: `<length>\\n` and what to print. Anything else, or too late: the last pack, or nothing.
"""

import os
import time

from dreamhook import paths
from dreamhook.hook import launch, stdin
from dreamhook.hook.options import parse, switched_off

SOCKET = "worker.sock"
DEADLINE_S = 0.25


def main(argv: list[str]) -> None:
    client, nothing = parse(argv)
    answer = nothing
    try:
        if not switched_off():
            deadline = time.monotonic() + float(os.environ.get("DREAMHOOK_DEADLINE_MS", DEADLINE_S * 1000)) / 1000
            payload = stdin.read(DEADLINE_S)
            folder = os.getcwd()
            reply = ask(payload, client, deadline)
            if reply is None:
                from dreamhook.hook.pack import lookup

                reply = lookup(payload, client, folder)
            answer = reply or nothing
    except Exception as error:  # the program's edge: the agent goes on, the log tells
        from dreamhook.hook import log

        log.line("inject", client, error)
    if answer:
        os.write(1, answer)


def ask(payload: bytes, client: str, deadline: float) -> bytes | None:
    """The worker's answer; None when there was none in time, and then a worker is on its way."""
    import _socket

    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        os.chdir(paths.state_dir())  # a socket's path may be 107 bytes at most; a home's may be longer
        connection.settimeout(max(0.01, deadline - time.monotonic()))
        connection.connect(SOCKET)
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
        launch.ring()
        return None
    finally:
        connection.close()
    length, _, reply = received.partition(b"\n")
    return reply if length.isdigit() and int(length) == len(reply) else None
