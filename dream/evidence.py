"""From the refs a model cites to the evidence a note carries."""

from typing import Any

from dream.chunk import Chunk, Source
from dreamhook.memory.note_file import Evidence

SESSIONS = 12
EVENTS = 8
"""The front matter names the newest ones; the graph's DERIVED_FROM edges keep them all."""


class Rejected(Exception):
    """A change is not made; the message says why, on one line."""


def cite(refs: Any, chunk: Chunk) -> list[Source]:
    """The events behind "E1"-like refs or event ids. Raises Rejected."""
    by_id = {source.event_id: source for source in chunk.sources.values()}
    wanted = [str(ref).strip("[] ") for ref in refs] if isinstance(refs, list) else []
    unknown = [ref for ref in wanted if ref not in chunk.sources and ref not in by_id]
    if unknown:
        raise Rejected(f"its evidence {', '.join(unknown[:3])} is not in the input"[:200])
    if not wanted:
        raise Rejected("it cites no evidence")
    return [chunk.sources.get(ref) or by_id[ref] for ref in dict.fromkeys(wanted)]


def merge(before: list[Evidence], sources: list[Source], chunk: Chunk) -> list[Evidence]:
    """What the note had, and the new events after it, one entry per session."""
    found = {(item["client"], item["session"]): Evidence(**item) for item in before}
    for source in sources:
        session = chunk.sessions[source.session]
        key = (session.client, session.session_id)
        old = found.pop(key, None)
        events = [*(old["events"] if old else []), source.event_id]
        found[key] = Evidence(
            client=session.client,
            session=session.session_id,
            date=old["date"] if old else source.date,
            events=list(dict.fromkeys(events))[-EVENTS:],
        )
    return list(found.values())[-SESSIONS:]
