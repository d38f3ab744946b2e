"""The worker's life: open the socket and the bell, drain on every ring, leave when idle."""

import json
import logging
import os
import resource
import select
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

from neo4j.exceptions import DriverError, Neo4jError

import cypher
from dreamhook import __version__, config, harness, paths
from dreamhook.memory import index_words
from dreamhook.spool import reader
from dreamhook.store.link import Link
from dreamhook.store.query import Store
from dreamhook.worker import code, dream_fallback
from dreamhook.worker.drainer import Drainer
from dreamhook.worker.requests import Recaller

log = logging.getLogger("dreamhook")
POLL_S = 2.0
PATIENCE_S = 5.0
"""A client that has not sent its whole request by then is hung up on."""
MAX_REQUEST = 8 << 20
"""Bytes. No person types more, and this process stays small."""
WEDGED_S = 120
"""A round that has not come a step further for this long waits for a store that will never answer: the connection is
open and dead. All is in the spool and safe, so the worker starts afresh."""


class Worker:
    """What one worker process holds open."""

    def __init__(self, settings: config.Config) -> None:
        self.settings = settings
        self.started = self.last_used = time.monotonic()
        self.stopping = threading.Event()
        self.link = Link(self.warm)
        self.drainer = Drainer(self.link, settings, self.stopping)
        self.recaller = Recaller(self.link, settings)
        self.watch = code.Watch()
        self.replace = False

    def serve(self, listener: socket.socket, bell: int) -> None:
        """Until stopped, idle or outdated. Each request has its own thread; the drainer has one for itself."""
        self.drainer.start()
        while not self.stopping.is_set():
            ready, _, _ = select.select([listener.fileno(), bell], [], [], POLL_S)
            if bell in ready:
                os.read(bell, 4096)
                self.last_used = time.monotonic()
            self.drainer.wake()
            if listener.fileno() in ready:
                self.accept(listener)
            dream_fallback.start_dream_if_due(self.settings)
            if self.drainer.busy_s() > WEDGED_S:
                log.warning("the store holds a round for %d s, starting afresh", WEDGED_S)
                self.leave(replace=True)
            elif self.watch.changed():
                log.info("config.toml was changed, starting afresh with it")
                self.leave(replace=True)
            elif self.idle():
                log.info("idle, leaving")
                self.leave()

    def warm(self, store: Store) -> None:
        """Beside the first drain: neither waits for the other."""
        threading.Thread(target=self._warm, args=(store,), name="warm", daemon=True).start()

    def _warm(self, store: Store) -> None:
        self.recaller.teller.warm(store)
        try:
            index_words.complete(store)
        except (DriverError, Neo4jError) as error:
            log.warning("recall: words inside identifiers not completed: %s", type(error).__name__)

    def leave(self, replace: bool = False) -> None:
        self.replace = replace
        self.stopping.set()

    def accept(self, listener: socket.socket) -> None:
        """Hand one connection to a thread. Too many of either: the hook gets no answer, the worker stays."""
        try:
            connection, _ = listener.accept()
        except OSError as error:
            log.warning("accept: %s", error.strerror)
            time.sleep(0.05)
            return
        try:
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()
        except RuntimeError:
            connection.close()

    def idle(self) -> bool:
        unused = time.monotonic() - self.last_used > self.settings.idle_minutes * 60
        return unused and not reader.anything_waits()

    def answer(self, connection: socket.socket) -> None:
        """One request: `inject/1 <client> <length>`, `status/1` or `stop/1`, each on a line."""
        with connection, suppress(OSError):
            connection.settimeout(PATIENCE_S)
            stream = connection.makefile("rb")
            verb, *words = stream.readline(200).decode("ascii", "replace").split()
            if (
                verb == "inject/1"
                and len(words) == 2
                and words[1].isdigit()
                and int(words[1]) <= MAX_REQUEST
            ):
                self.last_used = time.monotonic()
                reply = self.recaller.answer(words[0], stream.read(int(words[1])))
                connection.sendall(f"{len(reply)}\n".encode() + reply)
            elif verb == "status/1":
                connection.sendall(json.dumps(self.status()).encode())
            elif verb == "stop/1":
                connection.sendall(b"{}")
                self.leave()

    def status(self) -> dict[str, Any]:
        return {
            "pid": os.getpid(),
            "version": __version__,
            "uptime_s": round(time.monotonic() - self.started, 1),
            "store": "connected" if self.link.store else self.link.failure,
            "rounds": self.drainer.rounds,
            "failures": self.drainer.failures,
            "appended": self.drainer.appended,
            "answered": self.recaller.answered,
            "rss_mb": resident_mb(),
        }


def resident_mb() -> float:
    """Memory of this process now; where the system does not tell, the most it ever had."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)
    except OSError:
        return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20, 1)


def run() -> bool:
    """Be the worker; whether a new one should take over. The caller holds the lock, the state folder is current."""
    _log_to_file()
    try:
        settings = config.load()
    except config.ConfigError as error:
        log.error("%s", error)
        return False
    _load_whole_program()
    sys.setswitchinterval(
        0.0005
    )  # a draining thread must not keep a waiting prompt from the interpreter for 5 ms
    worker = Worker(settings)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda _number, _frame: worker.stopping.set())
    listener, bell = _open_socket(), _open_bell()
    with suppress(FileNotFoundError):
        os.unlink(paths.state_file(paths.WORKER_STARTING))
    log.info("worker %s started, pid %d", __version__, os.getpid())
    try:
        worker.serve(listener, bell)
    finally:
        os.close(bell)  # from here on a hook starts the next worker, which waits for our lock
        listener.close()
        with suppress(FileNotFoundError):
            os.unlink(paths.WORKER_SOCKET)
        worker.recaller.teller.close()
        if worker.drainer.finish():
            worker.link.close()
        log.info("worker stopped")
    return worker.replace


def _load_whole_program() -> None:
    """What is otherwise loaded on first use: after an upgrade it would be another version's."""
    for client in harness.clients():
        harness.get(client)
    for name in cypher.names():
        if name.startswith(("append_", "recall_", "schema_")):
            cypher.statement(name)


def _open_socket() -> socket.socket:
    with suppress(FileNotFoundError):
        os.unlink(paths.WORKER_SOCKET)  # the lock is ours, so this is a dead worker's
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(
        paths.WORKER_SOCKET
    )  # relative: the path of a home may be longer than a socket's may be
    os.chmod(paths.WORKER_SOCKET, 0o600)
    listener.listen(64)
    return listener


def _open_bell() -> int:
    """The FIFO, open for reading and writing: so there is always a reader and never an end of file."""
    bell = paths.state_file(paths.WORKER_BELL)
    if not Path(bell).is_fifo():
        Path(bell).unlink(missing_ok=True)
        os.mkfifo(bell, 0o600)
    return os.open(bell, os.O_RDWR | os.O_NONBLOCK)


def _log_to_file() -> None:
    """Bounded, and never with an event's text: modules log counts, names and error types only."""
    paths.make_private(os.path.dirname(paths.log_file()))
    target = RotatingFileHandler(
        paths.log_file(), maxBytes=1 << 20, backupCount=2, encoding="utf-8"
    )
    target.setFormatter(logging.Formatter("%(asctime)s worker %(levelname)s %(message)s"))
    log.addHandler(target)
    log.setLevel(logging.INFO)
    log.propagate = False
    logging.getLogger("neo4j").setLevel(logging.CRITICAL)
