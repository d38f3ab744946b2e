"""The tests' own eye for open ports, which proves nothing if it is blind."""

import os
import socket
import threading

import pytest

from tests.listening import listening

pytestmark = pytest.mark.skipif(
    not os.path.exists("/proc/self/net/tcp"), reason="needs Linux's /proc"
)


@pytest.mark.parametrize(
    ("family", "address"),
    [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"), (socket.AF_INET6, "::")],
)
def test_a_listening_socket_is_seen_until_it_is_closed(family, address):
    before = listening(os.getpid())
    with socket.socket(family) as server:
        try:
            server.bind((address, 0))
        except OSError:
            pytest.skip("no such address here")
        server.listen()
        assert listening(os.getpid()) == before | {address}
    assert listening(os.getpid()) == before


def test_a_process_that_opens_and_closes_files_meanwhile_is_read_all_the_same():
    """Seen in CI: a worker closed a descriptor between being listed and being read."""
    done = threading.Event()

    def churn():
        while not done.is_set():
            for descriptor in [os.open(os.devnull, os.O_RDONLY) for _ in range(20)]:
                os.close(descriptor)

    thread = threading.Thread(target=churn)
    thread.start()
    try:
        with socket.create_server(("127.0.0.1", 0)):
            for _ in range(200):
                assert "127.0.0.1" in listening(os.getpid())
    finally:
        done.set()
        thread.join()
