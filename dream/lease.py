"""One dream at a time: a lease in the store, kept alive while the dream works."""

import os
import secrets
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from neo4j import ManagedTransaction
from neo4j.exceptions import DriverError, Neo4jError

from cypher import statement
from dreamhook.store.query import Store

LEASE_MS = 120_000
"""A dream that was killed blocks the next one no longer than this."""
HEARTBEAT_S = 30.0


class LeaseLost(Exception):
    """Another dream took over, so this one may no longer write."""


@dataclass(frozen=True)
class Lease:
    owner: str


@contextmanager
def held(store: Store) -> Iterator[Lease | None]:
    """The lease for the length of the block; None when another dream has it."""
    lease = Lease(f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(8)}")
    if not store.write("dream_lease_take", owner=lease.owner, milliseconds=LEASE_MS):
        yield None
        return
    done = threading.Event()
    beat = threading.Thread(target=_keep, args=(store, lease, done), daemon=True)
    beat.start()
    try:
        yield lease
    finally:
        done.set()
        beat.join()
        store.write("dream_lease_drop", owner=lease.owner)


def confirm(tx: ManagedTransaction, lease: Lease) -> None:
    """Inside the transaction that stores results: still ours, and nobody else's until it ends. Raises LeaseLost."""
    if (
        tx.run(statement("dream_lease_hold"), owner=lease.owner, milliseconds=LEASE_MS).single()
        is None
    ):
        raise LeaseLost(
            "another dream took over; nothing of this part was stored, it is offered again"
        )


def _keep(store: Store, lease: Lease, done: threading.Event) -> None:
    while not done.wait(HEARTBEAT_S):
        try:
            store.write("dream_lease_hold", owner=lease.owner, milliseconds=LEASE_MS)
        except (DriverError, Neo4jError):
            continue  # the store may be back before the lease ends; `confirm` has the last word
