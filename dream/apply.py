"""Everything one answer changes, in one transaction: notes, versions, evidence, the dream itself, the watermark."""

import secrets
from datetime import UTC, datetime, timedelta
from typing import Any

from neo4j import ManagedTransaction

from cypher import statement
from dream.check import Change
from dream.chunk import Chunk, Session
from dream.collect import TIMES
from dream.decide import Decision
from dream.lease import Lease, confirm
from dreamhook.memory import note_file, note_versions
from dreamhook.store.query import Store
from dreamhook.times import now, timestamp

UNUSED_DAYS = 365
UNUSED_AT_ONCE = 3


def begin(store: Store, lease: Lease, dream_id: str, record: dict[str, Any]) -> None:
    """Write down, before asking, what it is likely to cost: a crash does not make it free. Raises LeaseLost."""
    _alone(
        store, lease, ("dream_write", {"id": dream_id, "properties": record | {"status": "asked"}})
    )


def store(
    store: Store,
    lease: Lease,
    decision: Decision,
    chunk: Chunk,
    dream_id: str,
    record: dict[str, Any],
) -> Decision:
    """Store the decision and return it as it came to be: a note that changed meanwhile is dropped from it.

    `record`: properties of the Dream node. Raises LeaseLost, and the driver's errors; then nothing is stored.
    """

    def work(tx: ManagedTransaction) -> Decision:
        confirm(tx, lease)
        at = now()
        done = Decision(
            held=decision.held, dropped=[*decision.dropped], deferred=[*decision.deferred]
        )
        _run(tx, "dream_write", id=dream_id, properties=record | {"status": "done", "ended_at": at})
        for change in decision.changes:
            if _make(tx, change, dream_id, at):
                done.changes.append(change)
                continue
            done.dropped.append(
                (change.version.path, "the note was changed by someone else meanwhile")
            )
            lost = [session for session in decision.settled if session.ref in change.sessions]
            done.deferred += [(session, "its note was changed meanwhile") for session in lost]
        for change in decision.held:
            _propose(tx, change, dream_id, chunk, at)
        again = {session.ref for session, _ in done.deferred}
        done.settled = [session for session in decision.settled if session.ref not in again]
        _pass(tx, chunk, done)
        return done

    return store.transaction(work)


def skip(store: Store, lease: Lease, chunk: Chunk) -> None:
    """Move the watermark past events that say nothing, or that are left for later. Raises LeaseLost."""

    def work(tx: ManagedTransaction) -> None:
        confirm(tx, lease)
        _pass(tx, chunk, Decision())

    store.transaction(work)


def failed(store: Store, lease: Lease, dream_id: str, record: dict[str, Any], error: str) -> None:
    """Keep that this part failed and why; its watermark stays. Raises LeaseLost."""
    _alone(store, lease, ("dream_write", {"id": dream_id, "properties": _failure(record, error)}))


def put_aside(
    store: Store,
    lease: Lease,
    chunk: Chunk,
    dream_id: str,
    record: dict[str, Any],
    error: str,
    *,
    counts: bool,
) -> None:
    """The same, and the watermark goes on: its sessions are tried again, each alone. `counts`: as a failure of
    the session itself, which parks it after TIMES. Raises LeaseLost."""
    rows = [_range(session) | {"why": error} for session in chunk.sessions.values()]
    place = {"person": chunk.unit.person, "repository": chunk.unit.repository}

    def work(tx: ManagedTransaction) -> None:
        confirm(tx, lease)
        _run(tx, "dream_write", id=dream_id, properties=_failure(record, error))
        _pass(tx, chunk, Decision())
        _run(tx, "dream_put_aside", sessions=rows, times=TIMES, counts=counts, **place)

    store.transaction(work)


def never_asked(store: Store, lease: Lease, dream_id: str) -> None:
    """Take back `begin`. Raises LeaseLost."""
    _alone(store, lease, ("dream_drop", {"id": dream_id}))


def propose_unused(store: Store, lease: Lease, person: str) -> int:
    """Propose to retire what nobody was given for long; how many notes. Raises LeaseLost."""
    long_ago = timestamp(datetime.now(UTC) - timedelta(days=UNUSED_DAYS))

    def work(tx: ManagedTransaction) -> int:
        confirm(tx, lease)
        parameters = {"person": person, "before": long_ago, "limit": UNUSED_AT_ONCE, "at": now()}
        return len(list(tx.run(statement("dream_unused"), parameters)))

    return store.transaction(work)


def new_id() -> str:
    """Begins with its time and can be typed: 20261129T211500-3f9c01ab. What must be in order goes by `started_at`."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{secrets.token_hex(4)}"


def _make(tx: ManagedTransaction, change: Change, dream_id: str, at: str) -> bool:
    version = change.version
    place = {"scope": version.scope, "path": version.path}
    if change.action == "confirm":
        _run(
            tx,
            "dream_confirm",
            owner=version.owner,
            events=note_versions.events_of(version.note),
            **place,
        )
        return True
    number = note_versions.write(tx, version, at)
    if number is None:
        return False
    _run(
        tx,
        "dream_wrote",
        id=dream_id,
        action=change.action,
        from_version=number - 1,
        to_version=number,
        why=change.why,
        **place,
    )
    return True


def _propose(tx: ManagedTransaction, change: Change, dream_id: str, chunk: Chunk, at: str) -> None:
    version = change.version
    properties = {
        "action": change.action,
        "reason": change.hold,
        "why": change.why,
        "read_version": version.read_version,
        "content": version.content or note_file.serialise(version.note),
        "repository": version.repository,
        "repository_name": chunk.unit.name,
        "created_at": at,
    }
    _run(
        tx,
        "dream_propose",
        dream=dream_id,
        id="p-" + secrets.token_hex(4),
        person=version.owner,
        scope=version.scope,
        path=version.path,
        properties=properties,
        events=note_versions.events_of(version.note),
    )


def _pass(tx: ManagedTransaction, chunk: Chunk, done: Decision) -> None:
    place = {"person": chunk.unit.person, "repository": chunk.unit.repository}
    _run(tx, "dream_watermark", seq=chunk.to_seq, **place)
    held = [
        {
            "client": held.key[0],
            "session_id": held.key[1],
            "from_seq": held.from_seq,
            "to_seq": held.to_seq,
            "why": held.why,
        }
        for held in chunk.held.values()
    ]
    _run(tx, "dream_hold", sessions=held, **place)
    _run(
        tx,
        "dream_settle",
        sessions=[_range(one) | {"rest_from": one.rest_from} for one in done.settled],
        **place,
    )
    deferred = {session.ref: (session, why) for session, why in done.deferred}.values()
    rows = [_range(session) | {"why": why} for session, why in deferred]
    _run(tx, "dream_defer", sessions=rows, times=TIMES, **place)


def _alone(store: Store, lease: Lease, *statements: tuple[str, dict[str, Any]]) -> None:
    def work(tx: ManagedTransaction) -> None:
        confirm(tx, lease)
        for name, parameters in statements:
            _run(tx, name, **parameters)

    store.transaction(work)


def _failure(record: dict[str, Any], error: str) -> dict[str, Any]:
    return record | {"status": "failed", "error": error, "ended_at": now()}


def _range(session: Session) -> dict[str, Any]:
    return {
        "client": session.client,
        "session_id": session.session_id,
        "from_seq": session.from_seq,
        "to_seq": session.to_seq,
    }


def _run(tx: ManagedTransaction, name: str, **parameters: Any) -> None:
    tx.run(statement(name), parameters).consume()
