"""Everything one answer changes, in one transaction: notes, versions, evidence, the dream itself, the watermark."""

import secrets
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from neo4j import ManagedTransaction

from cypher import statement
from dream.collect import Chunk, Session
from dream.decide import Decision
from dream.graph import Graph, write
from dream.lease import Lease, confirm
from dreamhook import memory_store


def store(graph: Graph, lease: Lease, decision: Decision, chunk: Chunk, record: dict[str, Any]) -> Decision:
    """Store the decision and return it as it came to be: a note that changed meanwhile is dropped from it.

    `record`: properties of the Dream node. Raises LeaseLost, and the driver's errors; then nothing is stored.
    """
    dream_id = new_id()

    def work(tx: ManagedTransaction) -> Decision:
        confirm(tx, lease)
        now = _now()
        done = Decision(dropped=[*decision.dropped], deferred=[*decision.deferred])
        _run(tx, "dream_write", id=dream_id, properties=record | {"status": "done", "ended_at": now})
        for change in decision.changes:
            number = memory_store.write(tx, change.version, now)
            if number is None:
                done.dropped.append((change.version.path, "the note was changed by someone else meanwhile"))
                lost = [session for session in decision.settled if session.ref in change.sessions]
                done.deferred += [(session, "its note was changed meanwhile") for session in lost]
                continue
            done.changes.append(change)
            _run(
                tx,
                "dream_wrote",
                id=dream_id,
                scope=change.version.scope,
                path=change.version.path,
                action=change.action,
                from_version=number - 1,
                to_version=number,
                why=change.why,
            )
        again = {session.ref for session, _ in done.deferred}
        done.settled = [session for session in decision.settled if session.ref not in again]
        _pass(tx, chunk, done)
        return done

    return write(graph, work)


def skip(graph: Graph, lease: Lease, chunk: Chunk) -> None:
    """Move the watermark past events that say nothing. Raises LeaseLost."""

    def work(tx: ManagedTransaction) -> None:
        confirm(tx, lease)
        _pass(tx, chunk, Decision())

    write(graph, work)


def failed(graph: Graph, lease: Lease, record: dict[str, Any], error: str) -> None:
    """Keep that this part failed and why; its watermark stays. Raises LeaseLost."""

    def work(tx: ManagedTransaction) -> None:
        confirm(tx, lease)
        properties = record | {"status": "failed", "error": error, "ended_at": _now()}
        _run(tx, "dream_write", id=new_id(), properties=properties)

    write(graph, work)


def new_id() -> str:
    """Sorts by time and can be typed: 20261129T211500-3f9c."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(4)}"


def _pass(tx: ManagedTransaction, chunk: Chunk, done: Decision) -> None:
    place = {"person": chunk.unit.person, "repository": chunk.unit.repository}
    _run(tx, "dream_watermark", seq=chunk.to_seq, **place)
    _run(tx, "dream_settle", sessions=_keys(done.settled), **place)
    deferred = {session.ref: (session, why) for session, why in done.deferred}.values()
    rows = [
        _key(session) | {"from_seq": session.from_seq, "to_seq": session.to_seq, "why": why}
        for session, why in deferred
    ]
    _run(tx, "dream_defer", sessions=rows, **place)


def _keys(sessions: Iterable[Session]) -> list[dict[str, Any]]:
    return [_key(session) for session in sessions]


def _key(session: Session) -> dict[str, Any]:
    return {"client": session.client, "session_id": session.session_id}


def _run(tx: ManagedTransaction, name: str, **parameters: Any) -> None:
    tx.run(statement(name), parameters).consume()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
