"""From an answer to what will be stored: good changes, dropped ones with their reason, every session accounted for."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from dream import rewrite_check
from dream.answer import Answer
from dream.check import Change, Rules, check, path_of
from dream.chunk import Chunk, Session
from dream.context_notes import Known, Place, scopes
from dream.evidence import Rejected
from dreamhook.memory import note_file
from dreamhook.memory.note_file import scope_key, scope_of
from dreamhook.store.query import Store

RETIRE_LIMIT = 3
"""Notes that one run may retire; more are proposed."""


@dataclass
class Decision:
    """`deferred`: sessions to offer again, with the reason."""

    changes: list[Change] = field(default_factory=list)
    held: list[Change] = field(default_factory=list)
    """Proposed to the person; `hold` says why."""
    dropped: list[tuple[str, str]] = field(default_factory=list)
    """(path as it was given, reason)."""
    settled: list[Session] = field(default_factory=list)
    deferred: list[tuple[Session, str]] = field(default_factory=list)


def decide(
    store: Store, answer: Answer, chunk: Chunk, known: Known, rules: Rules, earlier: list[Change]
) -> Decision:
    """Check every change by itself, then all of them and those that this run made `earlier` together."""
    decision = Decision()
    standing = _standing(store, answer, chunk)
    doubtful: dict[str, str] = {}
    good: list[Change] = []
    for raw in answer.changes:
        try:
            change = check(raw, chunk, known, standing, rules)
            if any(other.version.path == change.version.path for other in good):
                raise Rejected("a second change of the same note")
        except Rejected as reason:
            decision.dropped.append((str(raw.get("path", "?"))[:80], str(reason)))
            doubtful |= dict.fromkeys(_cited(raw, chunk), f"a change was dropped: {reason}")
        else:
            good.append(change)
    good = _together(store, good, chunk, earlier)
    decision.changes = [change for change in good if not change.hold]
    decision.held = [change for change in good if change.hold]
    _account(decision, answer, chunk, doubtful)
    return decision


def _standing(store: Store, answer: Answer, chunk: Chunk) -> dict[Place, dict[str, Any]]:
    places = []
    for raw in answer.changes:
        try:
            path = path_of(raw)
        except Rejected:
            continue  # `check` says so
        places.append(
            {"scope": scope_of(path, chunk.unit.person, chunk.unit.repository), "path": path}
        )
    rows = [row["memory"] for row in store.read("memory_at", places=places)]
    return {(row["scope"], row["path"]): row for row in rows}


def _together(
    store: Store, good: list[Change], chunk: Chunk, earlier: list[Change]
) -> list[Change]:
    """Changes that are right one by one may lose something, or be too many: then those that take away are proposed."""
    good = [replace(change, hold=change.hold or _loses(change, good)) for change in good]
    retired = sum(change.action == "retire" for change in [*earlier, *good])
    if retired > RETIRE_LIMIT:
        good = _held(
            good, lambda one: one.action == "retire", f"this run would retire {retired} notes"
        )
    if not any(change.growth() < 0 and not change.hold for change in good):
        return good
    keys = [scope_key(scope) for scope in scopes(chunk.unit)]
    tree = store.read("dream_tree", scope_keys=keys, person=chunk.unit.person)[0]
    made = [change.growth() for change in earlier if change.version.scope in scopes(chunk.unit)]
    asked = [change.growth() for change in good if not change.hold]
    if rewrite_check.too_much(tree["notes"], tree["size"] - sum(made), [*made, *asked]):
        part = f"this run would take away more than {rewrite_check.SHRINK:.0%} of your notes"
        good = _held(good, lambda one: one.growth() < 0, part)
    return good


def _loses(change: Change, good: list[Change]) -> str:
    """Why the person should see it first. What a note loses to another of the same answer (a split, a new name) is
    not lost."""
    if not change.old_content or change.action not in ("update", "supersede", "retire"):
        return ""
    others = [
        one.version.note.body
        for one in good
        if one is not change and not one.hold and one.action != "retire"
    ]
    before, after = note_file.body(change.old_content), change.version.note.body
    if change.action == "retire":
        moved = others and not rewrite_check.lost(before, "\n".join(others))
        return "" if change.own or moved else "it would retire a note, and not by your words"
    return rewrite_check.why_ask(change.action, before, after, "\n".join(others))


def _held(changes: list[Change], which: Callable[[Change], bool], why: str) -> list[Change]:
    return [
        replace(change, hold=change.hold or why) if which(change) else change for change in changes
    ]


def _cited(raw: dict[str, Any], chunk: Chunk) -> set[str]:
    refs = raw.get("evidence")
    names = [str(ref) for ref in refs] if isinstance(refs, list) else []
    return {chunk.sources[name].session for name in names if name in chunk.sources}


def _account(decision: Decision, answer: Answer, chunk: Chunk, doubtful: dict[str, str]) -> None:
    used = {ref for change in [*decision.changes, *decision.held] for ref in change.sessions}
    for ref, session in chunk.sessions.items():
        outcome, why = (
            answer.outcomes.get(ref) or answer.outcomes.get(session.session_id) or ("", "")
        )
        if ref in doubtful:
            decision.deferred.append((session, doubtful[ref]))
        elif outcome == "deferred":
            decision.deferred.append((session, why or "deferred without a reason"))
        elif not outcome and ref not in used:
            decision.deferred.append((session, "the answer did not account for it"))
        else:
            decision.settled.append(session)
