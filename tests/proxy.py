"""A way to a real store that can become slow, or silent without closing anything."""

import socket
import threading
import time
from contextlib import suppress
from urllib.parse import urlsplit


class Proxy:
    """Forwards to a store. `delay_s` holds every piece back; `silent` lets nothing through any more."""

    def __init__(self, uri):
        place = urlsplit(uri)
        self.target = (place.hostname, place.port)
        self.delay_s, self.silent, self.pieces = 0.0, False, 0
        self._held = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.uri = f"bolt://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        for one in (self._listener, *self._held):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self):
        while True:
            try:
                near, _ = self._listener.accept()
                far = socket.create_connection(self.target)
            except OSError:
                return
            self._held += [near, far]
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._forward, args=(one, other), daemon=True).start()

    def _forward(self, one, other):
        try:
            while data := one.recv(1 << 16):
                time.sleep(self.delay_s)
                while self.silent:
                    time.sleep(0.05)
                self.pieces += 1
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            return
