"""What is new for one person in one repository, cut to what one request can hold."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from neo4j import Record

from dream import transcript
from dream.graph import Graph, read, stream

BUDGET = 120_000
"""Characters of events in one request, about 35,000 tokens."""
READ_LIMIT = 2_000
DEFER_TIMES = 3
"""A session put off this often is no longer offered; it stays visible as DEFERRED."""


@dataclass(frozen=True)
class Unit:
    """One person's work in one repository."""

    person: str
    repository: str
    name: str
    remote: str | None


@dataclass
class Session:
    """One session of a chunk, with the lines the model reads."""

    ref: str
    client: str
    session_id: str
    cwd: str
    branch: str
    subagent: bool
    date: str
    """YYYY-MM-DD of its first event here."""
    from_seq: int
    to_seq: int
    lines: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Source:
    """An event that a change may cite."""

    event_id: str
    session: str
    """The ref of its session."""
    date: str
    own_words: bool


@dataclass
class Chunk:
    """What one request offers. `to_seq`: every event of the unit up to here was offered or says nothing."""

    unit: Unit
    from_seq: int = 0
    to_seq: int = 0
    more: bool = False
    sessions: dict[str, Session] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)
    words: list[str] = field(default_factory=list)
    """Texts that tell which notes are likely to matter."""
    size: int = 0


def units(graph: Graph, person: str) -> list[Unit]:
    """Where this person has events that no dream has seen, by repository name."""
    rows = read(graph, "dream_units", person=person, names=transcript.TOLD)
    return [Unit(person, row["id"], row["name"] or row["id"], row["remote"]) for row in rows]


def chunk(graph: Graph, unit: Unit, budget: int = BUDGET, again: bool = True) -> Chunk:
    """The unit's oldest new events that fit; `again`: after sessions that an earlier dream put off."""
    found = Chunk(unit)
    place = {"person": unit.person, "repository": unit.repository}
    if again:
        rows = read(graph, "dream_deferred", times=DEFER_TIMES, limit=READ_LIMIT, **place)
        _offer_again(found, rows, budget // 2)
    with stream(graph, "dream_events", limit=READ_LIMIT, **place) as events:
        seen = 0
        for row in events:
            seq = int(row["event"]["seq"])
            told = None if row["synthetic"] else transcript.tell(row["event"])
            if told and not _fits(found, told, budget) and found.to_seq:
                found.more = True
                break
            found.from_seq = found.from_seq or seq
            found.to_seq = seq
            if told:
                _add(found, row, told)
            seen += 1
        found.more = found.more or seen == READ_LIMIT
    return found


def text(session: Session, scrub: Callable[[str], str]) -> str:
    """A session as the model reads it. Scrubbed event by event, so that no rule reaches from one into the next."""
    kind = "subagent session" if session.subagent else "session"
    facts = [f"{kind} {session.ref}", session.client, f"id {session.session_id}", session.date]
    facts += [f"folder {session.cwd}"] if session.cwd else []
    facts += [f"branch {session.branch}"] if session.branch else []
    return "\n".join(map(scrub, ["## " + " · ".join(facts), *session.lines]))


def _offer_again(found: Chunk, rows: Iterable[Record], budget: int) -> None:
    """Whole sessions only: one that does not fit now is offered by a later dream."""
    by_session: dict[tuple[str, str], list[Record]] = {}
    for row in rows:
        by_session.setdefault((row["event"]["client"], row["event"]["session_id"]), []).append(row)
    for events in by_session.values():
        told = [(row, transcript.tell(row["event"])) for row in events]
        if found.sessions and found.size + sum(len(item[1]) for _, item in told if item) > budget:
            continue
        for row, item in told:
            if item:
                _add(found, row, item)
        found.words.append(str(events[0]["why"] or ""))


def _fits(found: Chunk, told: tuple[str, str], budget: int) -> bool:
    return found.size + len(told[0]) + len(told[1]) <= budget


def _add(found: Chunk, row: Record, told: tuple[str, str]) -> None:
    event = row["event"]
    session = _session(found, row)
    who, what = told
    lines = ["  " + line for line in what.splitlines()]  # a line of an event never looks like one of ours
    if who == "agent" and session.lines and session.lines[-1].endswith("\n".join(lines)):
        return  # some harnesses report the final answer twice
    ref = f"E{len(found.sources) + 1}"
    found.sources[ref] = Source(event["event_id"], session.ref, _day(event), transcript.is_own_words(event))
    session.lines.append("\n".join([f"[{ref}] {str(event.get('timestamp', ''))[11:16]} {who}:", *lines]))
    session.to_seq = max(session.to_seq, int(event["seq"]))
    found.size += len(session.lines[-1])
    if who in ("user", "agent") or "FAILED" in who:
        found.words.append(what)


def _session(found: Chunk, row: Record) -> Session:
    event = row["event"]
    for known in found.sessions.values():
        if (known.client, known.session_id) == (event["client"], event["session_id"]):
            return known
    ref = f"S{len(found.sessions) + 1}"
    session = found.sessions[ref] = Session(
        ref=ref,
        client=event["client"],
        session_id=event["session_id"],
        cwd=row["cwd"] or "",
        branch=event.get("branch") or row["branch"] or "",
        subagent=bool(event.get("parent_session_id")),
        date=_day(event),
        from_seq=int(event["seq"]),
        to_seq=int(event["seq"]),
    )
    return session


def _day(event: Any) -> str:
    return str(event.get("timestamp", ""))[:10]


def refs(found: Chunk) -> str:
    """The session refs for the model: "S1, S2"."""
    return ", ".join(found.sessions)
