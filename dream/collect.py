"""What is new for one person in one repository, cut to what one request can hold."""

from collections.abc import Callable, Collection, Iterable
from typing import Any

from neo4j import Record

from dream import transcript
from dream.chunk import Chunk, Held, Key, Session, Source, Unit
from dream.session_filter import Choice
from dreamhook.store.query import Store

BUDGET = 120_000
"""Characters of events in one request, about 35,000 tokens."""
READ_LIMIT = 2_000
TIMES = 3
"""A session put off, or failed, this often is parked: visible, and offered again only when asked for."""
EARLIER = 400


def units(store: Store, person: str, choice: Choice) -> list[Unit]:
    """Where this person has something to dream about, by repository name."""
    rows = store.read("dream_units", person=person, names=transcript.TOLD, **choice.window())
    return [Unit(person, row["id"], row["name"] or row["id"], row["remote"]) for row in rows]


def running(store: Store, person: str, choice: Choice) -> list[Record]:
    """Sessions with something new that are left because they still run: client, session_id, cwd, repository, last."""
    return store.read("dream_running", person=person, **choice.window())


def chunk(
    store: Store,
    unit: Unit,
    budget: int = BUDGET,
    *,
    choice: Choice = Choice(),  # noqa: B008 (frozen)
    again: bool = True,
    tried: Collection[Key] = (),
    after: int = 0,
) -> Chunk:
    """What to ask about next: first each session that must stand alone, then the oldest new events that fit.

    `again`: the latter after sessions that an earlier dream put off. `tried`: sessions not to offer once more.
    `after`: a seq to begin behind, where the watermark has not moved yet.
    """
    place = {"person": unit.person, "repository": unit.repository}
    put_off = _put_off(store, place, choice, tried)
    for rows in put_off["alone"].values():
        found = Chunk(unit, more=True)
        _offer_whole(found, rows, budget)
        if found.sessions:
            return _with_beginnings(store, found)
    found = Chunk(unit)
    if again:
        for rows in put_off["others"].values():
            _offer_whole(found, rows, budget // 2)
    with store.stream("dream_events", limit=READ_LIMIT, after=after, **place) as events:
        seen = 0
        for row in events:
            seq = int(row["event"]["seq"])
            told = None if row["synthetic"] else transcript.tell(row["event"])
            why_not = choice.why_not(row) if told else ""
            if (
                told
                and not why_not
                and not _fits(found, told, budget)
                and (found.to_seq or found.sessions)
            ):
                found.more = True
                break
            found.from_seq = found.from_seq or seq
            found.to_seq = seq
            if why_not:
                _hold(found, row, why_not)
            elif told:
                _add(found, row, told)
            seen += 1
        found.more = found.more or seen == READ_LIMIT
    return _with_beginnings(store, found)


def text(session: Session, scrub: Callable[[str], str]) -> str:
    """A session as the model reads it. Scrubbed event by event, so that no rule reaches from one into the next."""
    kind = "subagent session" if session.subagent else "session"
    facts = [f"{kind} {session.ref}", session.client, f"id {session.session_id}", session.date]
    facts += [f"folder {session.cwd}"] if session.cwd else []
    facts += [f"branch {session.branch}"] if session.branch else []
    head = ["## " + " · ".join(facts)]
    if session.earlier:
        head.append(
            "(continued; earlier in it the user had asked: "
            + " ".join(session.earlier.split())
            + ")"
        )
    if session.rest_from:
        head.append("(what came after this part follows in a later request)")
    return "\n".join(map(scrub, [*head, *session.lines]))


def _put_off(
    store: Store, place: dict[str, str], choice: Choice, tried: Collection[Key]
) -> dict[str, dict[Key, list[Record]]]:
    rows = store.read("dream_deferred", times=TIMES, limit=READ_LIMIT, **place)
    found: dict[str, dict[Key, list[Record]]] = {"alone": {}, "others": {}}
    for row in rows:
        key = (row["event"]["client"], row["event"]["session_id"])
        if key not in tried and not choice.why_not(row):
            found["alone" if row["state"] == "alone" else "others"].setdefault(key, []).append(row)
    return found


def _offer_whole(found: Chunk, rows: list[Record], budget: int) -> None:
    """A whole session, or none where others already are: a later dream has it. Cut when it is too long alone."""
    told = [(row, item) for row in rows if (item := transcript.tell(row["event"]))]
    if found.sessions and found.size + sum(len(item[1]) for _, item in told) > budget:
        return
    for row, item in told:
        if found.sources and not _fits(found, item, budget):
            _session(found, row).rest_from = int(row["event"]["seq"])
            break
        _add(found, row, item)
    found.words.append(str(rows[0]["why"] or ""))


def _fits(found: Chunk, told: tuple[str, str], budget: int) -> bool:
    return found.size + len(told[0]) + len(told[1]) <= budget


def _hold(found: Chunk, row: Record, why: str) -> None:
    event = row["event"]
    key = (event["client"], event["session_id"])
    first = found.held[key].from_seq if key in found.held else int(event["seq"])
    found.held[key] = Held(key, first, int(event["seq"]), why)


def _add(found: Chunk, row: Record, told: tuple[str, str]) -> None:
    event = row["event"]
    session = _session(found, row)
    who, what = told
    lines = [
        "  " + line for line in what.splitlines()
    ]  # a line of an event never looks like one of ours
    if who == "agent" and session.lines and session.lines[-1].endswith("\n".join(lines)):
        return  # some harnesses report the final answer twice
    ref = f"E{len(found.sources) + 1}"
    found.sources[ref] = source(event, session.ref, what)
    session.lines.append(
        "\n".join([f"[{ref}] {str(event.get('timestamp', ''))[11:16]} {who}:", *lines])
    )
    session.to_seq = max(session.to_seq, int(event["seq"]))
    found.size += len(session.lines[-1])
    if who in ("user", "agent") or "FAILED" in who:
        found.words.append(what)


def source(event: Any, session: str, shown: str) -> Source:
    """The event as evidence. `session`: the ref of its session; `shown`: what the model was shown of it."""
    own = transcript.is_own_words(event)
    return Source(event["event_id"], session, _day(event), own, transcript.who(event), shown)


def _session(found: Chunk, row: Record) -> Session:
    event = row["event"]
    for known in found.sessions.values():
        if known.key() == (event["client"], event["session_id"]):
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


def _with_beginnings(store: Store, found: Chunk) -> Chunk:
    """Each part of a session must make sense alone: it says what the session was about."""
    keys = [
        {"ref": one.ref, "client": one.client, "session_id": one.session_id, "before": one.from_seq}
        for one in found.sessions.values()
    ]
    rows: Iterable[Record] = store.read("dream_before", sessions=keys) if keys else []
    for row in rows:
        prompt = transcript.tell({"event_name": "UserPromptSubmit", "prompt": row["prompt"]})
        found.sessions[row["ref"]].earlier = transcript.clip(prompt[1], EARLIER) if prompt else ""
    return found


def _day(event: Any) -> str:
    return str(event.get("timestamp", ""))[:10]
