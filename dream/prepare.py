"""A request ready to be sent, and what must be remembered to apply its answer later: ids only, no text."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from dream import collect, transcript
from dream import request as requests
from dream.chunk import Chunk, Held, Session, Unit
from dream.context_notes import Known, choose
from dreamhook.store.query import Store

FORMAT = 1


class Stale(Exception):
    """An answer no longer fits what is stored; the message says why."""


@dataclass(frozen=True)
class Prepared:
    """`id`: sixteen hex digits of the request itself. `after`: where the watermark stood, or will, before this part."""

    id: str
    chunk: Chunk
    known: Known
    request: dict[str, Any]
    after: int


def prepare(
    store: Store, chunk: Chunk, *, model: str, scrub: Callable[[str], str], after: int = 0
) -> Prepared:
    """Choose the notes that matter and build the request."""
    today = datetime.now(UTC).date().isoformat()
    known = choose(store, chunk.unit, chunk.words)
    request = requests.build(chunk, known, model=model, today=today, scrub=scrub)
    place = [chunk.unit.person, chunk.unit.repository, chunk.to_seq, request]
    digest = hashlib.sha256(
        json.dumps(place, sort_keys=True, ensure_ascii=False).encode("utf-8", "replace")
    )
    return Prepared(digest.hexdigest()[:16], chunk, known, request, after)


def context(prepared: Prepared) -> dict[str, Any]:
    """What `restore` needs, as JSON."""
    chunk = prepared.chunk
    sessions = [
        {name: value for name, value in vars(session).items() if name not in ("lines", "earlier")}
        for session in chunk.sessions.values()
    ]
    return {
        "format": FORMAT,
        "prompt_version": requests.prompt_version(),
        "model": prepared.request["model"],
        "unit": vars(chunk.unit),
        "after": prepared.after,
        "from_seq": chunk.from_seq,
        "to_seq": chunk.to_seq,
        "sessions": sessions,
        "events": {ref: [source.event_id, source.session] for ref, source in chunk.sources.items()},
        "held": [[*held.key, held.from_seq, held.to_seq, held.why] for held in chunk.held.values()],
        "notes": [
            [scope, path, row["version"]] for (scope, path), row in prepared.known.full.items()
        ],
    }


def restore(store: Store, told: dict[str, Any], person: str) -> tuple[Chunk, Known]:
    """The chunk and the notes a request was made of. Raises Stale when what it rests on has moved since."""
    try:
        if told["format"] != FORMAT:
            raise Stale(f"it is of format {told['format']!r}, and this version knows {FORMAT}")
        chunk = Chunk(Unit(**told["unit"]), told["from_seq"], told["to_seq"])
        chunk.sessions = {one["ref"]: Session(**one) for one in told["sessions"]}
        chunk.held = {
            (c, s): Held((c, s), first, last, why) for c, s, first, last, why in told["held"]
        }
        events = {ref: (event_id, session) for ref, (event_id, session) in told["events"].items()}
        known = Known(
            {(scope, path): {"version": version} for scope, path, version in told["notes"]}, []
        )
    except (KeyError, TypeError, ValueError) as error:
        raise Stale("its request file is damaged; export again") from error
    if chunk.unit.person != person:
        raise Stale(f"it is about {chunk.unit.person!r}, another person")
    _is_still_due(store, chunk, int(told["after"]))
    rows = store.read(
        "dream_events_at",
        person=person,
        events=[event_id for event_id, _ in events.values()],
    )
    stored = {row["event"]["event_id"]: row["event"] for row in rows}
    for ref, (event_id, session) in events.items():
        shown = transcript.tell(stored[event_id]) if event_id in stored else None
        if shown is None:
            raise Stale("events it rests on were forgotten")
        chunk.sources[ref] = collect.source(stored[event_id], session, shown[1])
    return chunk, known


def _is_still_due(store: Store, chunk: Chunk, after: int) -> None:
    """Raises Stale."""
    seen = store.read("dream_seen", person=chunk.unit.person, repository=chunk.unit.repository)[0]
    if chunk.to_seq:
        if seen["seq"] > after:
            raise Stale("another dream has been over its events since")
        if seen["seq"] < after:
            raise Stale("the part before it was not applied")
        return
    put_off = {(one["client"], one["session_id"]): one["from_seq"] for one in seen["put_off"]}
    if any(
        put_off.get(session.key(), session.to_seq + 1) > session.from_seq
        for session in chunk.sessions.values()
    ):
        raise Stale("another dream has been over its events since")
