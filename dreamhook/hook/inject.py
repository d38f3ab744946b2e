"""The recalling hook: stdin → the worker's socket → stdout.

The worker knows everything; the hook only carries bytes. Request: `inject/1 <client> <length>\\n` and the payload.
Reply: `<length>\\n` and what to print. Anything else, or too late: the last pack, or nothing.
"""

import os
import time

from dreamhook import paths
from dreamhook.hook import notify, stdin
from dreamhook.hook.consent import parse, started_in, switched_off, unwanted

SOCKET = "worker.sock"
DEADLINE_S = 0.25
START_DEADLINE_S = 0.15
"""Cursor does not wait for a start's answer: what comes after its first prompt is lost."""
START_EVENTS = (b'"SessionStart"', b'"sessionStart"')
AFTER_TOOL = b'"postToolUse"'
NOTHING_AFTER_TOOL = b"{}\n"
OF_CURSOR = b'"conversation_id"'
FRESH = "/fresh"
"""In the state folder; while it is there, and with DREAMHOOK_FRESH=1, sessions are recorded and told nothing."""


def main(argv: list[str]) -> None:
    client, nothing = parse(argv)
    answer = nothing
    try:
        began = time.monotonic()
        payload = stdin.read(
            DEADLINE_S
        )  # also when off: a harness may mind that nobody reads what it writes
        after_tool = is_after_tool(payload)
        if after_tool:
            answer = nothing = NOTHING_AFTER_TOOL
        if not (
            switched_off() or (after_tool and needless(payload)) or fresh() or unwanted(payload)
        ):
            reply = recalled(payload, client, began + patience_s(payload))
            answer = reply or nothing
            settle(payload, reply)
    except Exception as error:  # the program's edge: the agent goes on, the log tells
        from dreamhook.hook import log

        log.line("inject", client, error)
    if answer:
        os.write(1, answer)


def fresh() -> bool:
    """Whether the person wants a session without anything from earlier ones."""
    return os.environ.get("DREAMHOOK_FRESH") == "1" or os.path.exists(paths.state_dir() + FRESH)


def patience_s(payload: bytes) -> float:
    """How long this hook waits, counted from its own start; the worker, in its environment, goes by the same figure."""
    given = os.environ.get("DREAMHOOK_DEADLINE_MS", "")
    if given.isdigit():
        return int(given) / 1000
    return START_DEADLINE_S if is_start(payload) else DEADLINE_S


def is_start(payload: bytes) -> bool:
    """Whether the payload is a session's start, by its own words."""
    return value_of(payload, b'"hook_event_name"').startswith(START_EVENTS)


def value_of(payload: bytes, key: bytes) -> bytes:
    """The beginning of a key's value as it stands, at most 80 bytes; empty without the key. No JSON is parsed."""
    at = payload.find(key)
    return payload[at + len(key) : at + len(key) + 80].lstrip(b" \t\r\n:") if at >= 0 else b""


def text_of(value: bytes) -> bytes:
    """What stands between the quotes of a value that is a text."""
    return value[1:].partition(b'"')[0]


def is_after_tool(payload: bytes) -> bool:
    """Whether the payload is Cursor's after a tool: the only harness that is asked then."""
    return OF_CURSOR in payload and value_of(payload, b'"hook_event_name"').startswith(AFTER_TOOL)


def needless(payload: bytes) -> bool:
    """Whether what came after a tool is known to bring nothing, without asking."""
    from dreamhook.hook import settled

    return settled.needless(payload)


def settle(payload: bytes, reply: bytes) -> None:
    """Remember what makes later questions after tools needless."""
    if OF_CURSOR in payload:
        from dreamhook.hook import settled

        settled.note(payload, reply)


def recalled(payload: bytes, client: str, deadline: float) -> bytes:
    """The worker's answer, or the last pack."""
    folder = started_in()
    reply = ask(payload, client, deadline)
    if reply is None:
        from dreamhook.hook.cached_start import lookup

        reply = lookup(payload, client, folder)
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
        notify.ring()
        return None
    finally:
        connection.close()
    length, _, reply = received.partition(b"\n")
    return reply if length.isdigit() and int(length) == len(reply) else None
