"""Free ports on the loopback address."""

import socket

BOLT, HTTP = 17687, 17474
"""Tried first. Not 7687 and 7474: those belong to a Neo4j that a person installed."""


def free(preferred: int, taken: tuple[int, ...] = ()) -> int:
    """The preferred port, or any other when someone listens there already."""
    for port in (preferred, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            found = int(probe.getsockname()[1])
            if found not in taken:
                return found
    return free(0, taken)


def answers(port: int) -> bool:
    """Whether someone accepts connections there."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False
