"""One person's new events in one repository: chunk by chunk, each collected, asked about, checked and stored."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from dream import apply, collect, consolidate
from dream import request as requests
from dream.budget import ANSWER, Budget, Usage, estimate
from dream.check import Change, Rules
from dream.chunk import Chunk, Key, Unit
from dream.collect import BUDGET
from dream.consolidate import Complete
from dream.decide import Decision, decide
from dream.errors import DreamError, NoAccess, TooLong, Unanswerable
from dream.lease import Lease
from dream.prepare import Prepared, prepare
from dream.session_filter import Choice
from dreamhook.store.query import Store
from dreamhook.times import now

SMALLER = 4
"""How much less is asked about when an answer did not fit."""
IN_A_ROW = 3
"""Answers that could not be used, one after the other, before the run gives up: then it is not the sessions."""


@dataclass
class Dreamer:
    """What all parts of one run share. `lease` is None in a dry run: then nothing is written."""

    store: Store
    lease: Lease | None
    model: str
    backend: str
    complete: Complete
    rules: Rules
    budget: Budget
    choice: Choice
    usage: Usage = field(default_factory=Usage)
    made: list[Change] = field(default_factory=list)
    """Changes that this run has stored."""
    unusable: int = 0
    """Answers in a row."""


@dataclass
class Part:
    """What became of one chunk."""

    unit: Unit
    decision: Decision = field(default_factory=Decision)
    error: str = ""
    left: str = ""
    """Why more events of this unit wait for the next dream; empty: none do."""
    dream: str = ""
    """The id under which it is stored."""


def dream(dreamer: Dreamer, unit: Unit) -> Iterator[Part]:
    """Work through the unit, a part per request. Raises NoAccess, LeaseLost and the driver's errors."""
    again = more = True
    tried: set[Key] = set()
    while more:
        chunk = collect.chunk(
            dreamer.store, unit, BUDGET, choice=dreamer.choice, again=again, tried=tried
        )
        if chunk.empty():
            return
        if not chunk.sessions:
            if dreamer.lease:
                apply.skip(dreamer.store, dreamer.lease, chunk)
            more = chunk.more
        else:
            part, more = _part(dreamer, chunk, again, tried)
            yield part
        if dreamer.lease is None:  # without a moved watermark the same events would come again
            return
        again = again and not chunk.to_seq


def _part(dreamer: Dreamer, chunk: Chunk, again: bool, tried: set[Key]) -> tuple[Part, bool]:
    """What became of the chunk, and whether there is another after it."""
    ready = _prepare(dreamer, chunk)
    refused = dreamer.budget.refuses(dreamer.usage, ready.request)
    if refused:
        return Part(chunk.unit, left=refused), False
    part = Part(chunk.unit, dream=apply.new_id())
    record = record_of(dreamer, ready)
    before = replace(dreamer.usage)
    if dreamer.lease:
        expected = {
            "calls": 1,
            "input_tokens": estimate(ready.request) - ANSWER,
            "output_tokens": ANSWER,
        }
        apply.begin(dreamer.store, dreamer.lease, part.dream, record | expected)
    try:
        try:
            part.decision = _decide(dreamer, ready)
        except TooLong:
            budget = min(BUDGET, chunk.size) // SMALLER
            chunk = collect.chunk(
                dreamer.store, chunk.unit, budget, choice=dreamer.choice, again=again, tried=tried
            )
            ready = _prepare(dreamer, chunk)
            part.decision = _decide(dreamer, ready)
    except NoAccess:
        if dreamer.lease:
            apply.never_asked(dreamer.store, dreamer.lease, part.dream)
        raise
    except DreamError as error:
        part.error = str(error)
        record |= _spent(dreamer, before)
        return part, _trouble(
            dreamer, chunk, part, record, tried, aside=isinstance(error, Unanswerable)
        )
    dreamer.unusable = 0
    tried |= {session.key() for session in chunk.sessions.values() if not session.rest_from}
    if dreamer.lease:
        record |= {"from_seq": chunk.from_seq, "to_seq": chunk.to_seq} | _spent(dreamer, before)
        part.decision = apply.store(
            dreamer.store, dreamer.lease, part.decision, chunk, part.dream, record
        )
        dreamer.made += part.decision.changes
    elif chunk.more:
        part.left = "a dry run makes one request per repository"
    return part, chunk.more


def _trouble(
    dreamer: Dreamer,
    chunk: Chunk,
    part: Part,
    record: dict[str, Any],
    tried: set[Key],
    *,
    aside: bool,
) -> bool:
    """Store that the part failed; whether to go on with the unit."""
    if not dreamer.lease:
        return False
    if not aside:
        apply.failed(dreamer.store, dreamer.lease, part.dream, record, part.error)
        return False
    dreamer.unusable += 1
    single = len(chunk.sessions) == 1
    apply.put_aside(
        dreamer.store, dreamer.lease, chunk, part.dream, record, part.error, counts=single
    )
    if single:
        tried |= {session.key() for session in chunk.sessions.values()}
    return dreamer.unusable < IN_A_ROW


def _prepare(dreamer: Dreamer, chunk: Chunk) -> Prepared:
    return prepare(dreamer.store, chunk, model=dreamer.model, scrub=dreamer.rules.scrub)


def _decide(dreamer: Dreamer, ready: Prepared) -> Decision:
    answer = consolidate.ask(dreamer.complete, ready.request, dreamer.usage, dreamer.budget)
    return decide(dreamer.store, answer, ready.chunk, ready.known, dreamer.rules, dreamer.made)


def record_of(dreamer: Dreamer, ready: Prepared) -> dict[str, Any]:
    """Properties of the Dream node that are known before the answer."""
    chunk = ready.chunk
    return {
        "started_at": now(),
        "person": chunk.unit.person,
        "repository": chunk.unit.repository,
        "model": dreamer.model,
        "backend": dreamer.backend,
        "prompt_version": requests.prompt_version(),
        "from_seq": chunk.from_seq,
        "to_seq": chunk.to_seq,
        "sessions": [session.session_id for session in chunk.sessions.values()],
    }


def _spent(dreamer: Dreamer, before: Usage) -> dict[str, int]:
    spent = dreamer.usage.since(before)
    return {
        "calls": spent.calls,
        "input_tokens": spent.input_tokens,
        "output_tokens": spent.output_tokens,
    }
