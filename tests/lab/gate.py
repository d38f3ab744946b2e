"""A door in front of the store: closed, its port refuses; open, it passes everything on. The config never changes."""

import contextlib
import socket
import threading
from urllib.parse import urlsplit


class Gate:
    """`with Gate(bolt_uri) as gate:` starts closed; `gate.uri` is what a config points at."""

    def __init__(self, store_uri: str) -> None:
        address = urlsplit(store_uri)
        self.store = (address.hostname or "127.0.0.1", address.port or 7687)
        self.door = socket.socket()
        self.door.bind(
            ("127.0.0.1", 0)
        )  # bound and not listening: nobody else gets the port, and it refuses
        self.uri = f"bolt://127.0.0.1:{self.door.getsockname()[1]}"
        self.open_ends: list[socket.socket] = []

    def open(self) -> None:
        self.door.listen()
        threading.Thread(target=self._let_in, daemon=True).start()

    def _let_in(self) -> None:
        with contextlib.suppress(OSError):  # the door was closed
            while True:
                inside, outside = self.door.accept()[0], socket.create_connection(self.store)
                self.open_ends += [inside, outside]
                for source, sink in ((inside, outside), (outside, inside)):
                    threading.Thread(target=_pass_on, args=(source, sink), daemon=True).start()

    def __enter__(self) -> "Gate":
        return self

    def __exit__(self, *exc: object) -> None:
        with contextlib.suppress(OSError):
            self.door.shutdown(socket.SHUT_RDWR)  # wakes accept()
        for end in [self.door, *self.open_ends]:
            end.close()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
