"""From an answer to what will be stored: good changes, dropped ones with their reason, every session accounted for."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from dream.answer import Answer
from dream.check import RETIRE_LIMIT, Change, check, path_of
from dream.collect import Chunk, Session
from dream.evidence import Rejected
from dream.graph import Graph, read
from dream.known import Known, Place
from dreamhook.memory import scope_of


@dataclass
class Decision:
    """`deferred`: sessions to offer again, with the reason."""

    changes: list[Change] = field(default_factory=list)
    dropped: list[tuple[str, str]] = field(default_factory=list)
    """(path as it was given, reason)."""
    settled: list[Session] = field(default_factory=list)
    deferred: list[tuple[Session, str]] = field(default_factory=list)


def decide(
    graph: Graph, answer: Answer, chunk: Chunk, known: Known, *, today: date, scrub: Callable[[str], str]
) -> Decision:
    """Check every change by itself; read what stands at their paths once."""
    decision = Decision()
    standing = _standing(graph, answer, chunk)
    doubtful: dict[str, str] = {}
    for raw in answer.changes:
        try:
            change = check(raw, chunk, known, standing, today=today, scrub=scrub)
            _alone(change, decision.changes)
        except Rejected as reason:
            decision.dropped.append((str(raw.get("path", "?"))[:80], str(reason)))
            doubtful |= dict.fromkeys(_cited(raw, chunk), f"a change was dropped: {reason}")
        else:
            decision.changes.append(change)
    _account(decision, answer, chunk, doubtful)
    return decision


def _standing(graph: Graph, answer: Answer, chunk: Chunk) -> dict[Place, dict[str, Any]]:
    places = []
    for raw in answer.changes:
        try:
            path = path_of(raw)
        except Rejected:
            continue  # `check` says so
        places.append({"scope": scope_of(path, chunk.unit.person, chunk.unit.repository), "path": path})
    rows = [row["memory"] for row in read(graph, "memory_at", places=places)]
    return {(row["scope"], row["path"]): row for row in rows}


def _alone(change: Change, accepted: list[Change]) -> None:
    if any(other.version.path == change.version.path for other in accepted):
        raise Rejected("a second change of the same note")
    if change.action == "retire" and sum(other.action == "retire" for other in accepted) >= RETIRE_LIMIT:
        raise Rejected(f"more than {RETIRE_LIMIT} notes would be retired at once")


def _cited(raw: dict[str, Any], chunk: Chunk) -> set[str]:
    refs = raw.get("evidence")
    return {chunk.sources[ref].session for ref in refs if ref in chunk.sources} if isinstance(refs, list) else set()


def _account(decision: Decision, answer: Answer, chunk: Chunk, doubtful: dict[str, str]) -> None:
    used = {ref for change in decision.changes for ref in change.sessions}
    for ref, session in chunk.sessions.items():
        outcome, why = answer.outcomes.get(ref) or answer.outcomes.get(session.session_id) or ("", "")
        if ref in doubtful:
            decision.deferred.append((session, doubtful[ref]))
        elif outcome == "deferred":
            decision.deferred.append((session, why or "deferred without a reason"))
        elif not outcome and ref not in used:
            decision.deferred.append((session, "the answer did not account for it"))
        else:
            decision.settled.append(session)
