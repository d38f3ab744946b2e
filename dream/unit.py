"""One person's new events in one repository: chunk by chunk, each collected, asked about, checked and stored."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import anthropic

from dream import apply, collect, consolidate
from dream import request as requests
from dream.collect import BUDGET, Chunk, Unit
from dream.consolidate import DreamError, TooLong, Usage
from dream.decide import Decision, decide
from dream.graph import Graph
from dream.known import choose
from dream.lease import Lease

SMALLER = 4
"""How much less is asked about when an answer did not fit."""


@dataclass
class Dreamer:
    """What all parts of one run share. `lease` is None in a dry run: then nothing is written."""

    graph: Graph
    lease: Lease | None
    model: str
    claude: Callable[[], anthropic.Anthropic]
    """Made when first needed: without anything to ask about, no key is wanted."""
    scrub: Callable[[str], str]
    calls: int
    """How many requests this run may make."""
    usage: Usage = field(default_factory=Usage)


@dataclass
class Part:
    """What became of one chunk."""

    unit: Unit
    decision: Decision = field(default_factory=Decision)
    error: str = ""
    left: bool = False
    """More events of this unit wait for the next dream."""


def dream(dreamer: Dreamer, unit: Unit) -> Iterator[Part]:
    """Work through the unit, a part per request. Raises NoAccess, LeaseLost and the driver's errors."""
    again = more = True
    while more:
        chunk = collect.chunk(dreamer.graph, unit, BUDGET, again)
        if not chunk.to_seq:
            return
        if not chunk.sessions:
            if dreamer.lease:
                apply.skip(dreamer.graph, dreamer.lease, chunk)
            more = chunk.more
        elif dreamer.usage.calls >= dreamer.calls:
            yield Part(unit, left=True)
            return
        else:
            part, more = _part(dreamer, chunk, again)
            part.left = more and dreamer.lease is None
            yield part
        more = more and dreamer.lease is not None  # without a moved watermark the same events would come again
        again = False


def _part(dreamer: Dreamer, chunk: Chunk, again: bool) -> tuple[Part, bool]:
    """What became of the chunk, and whether there is another after it."""
    record = _record(dreamer, chunk)
    before = replace(dreamer.usage)
    try:
        try:
            decision = _decide(dreamer, chunk)
        except TooLong:
            smaller = collect.chunk(dreamer.graph, chunk.unit, min(BUDGET, chunk.size) // SMALLER, again)
            chunk = smaller if smaller.sessions else chunk
            decision = _decide(dreamer, chunk)
    except consolidate.NoAccess:
        raise
    except DreamError as error:
        if dreamer.lease:
            apply.failed(dreamer.graph, dreamer.lease, record | _spent(dreamer, before), str(error))
        return Part(chunk.unit, error=str(error)), False
    if dreamer.lease:
        record |= {"from_seq": chunk.from_seq, "to_seq": chunk.to_seq} | _spent(dreamer, before)
        decision = apply.store(dreamer.graph, dreamer.lease, decision, chunk, record)
    return Part(chunk.unit, decision), chunk.more


def _decide(dreamer: Dreamer, chunk: Chunk) -> Decision:
    today = datetime.now(UTC).date()
    known = choose(dreamer.graph, chunk.unit, chunk.words)
    request = requests.build(chunk, known, model=dreamer.model, today=today.isoformat(), scrub=dreamer.scrub)
    answer = consolidate.ask(dreamer.claude(), request, dreamer.usage)
    return decide(dreamer.graph, answer, chunk, known, today=today, scrub=dreamer.scrub)


def _record(dreamer: Dreamer, chunk: Chunk) -> dict[str, Any]:
    return {
        "started_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "person": chunk.unit.person,
        "repository": chunk.unit.repository,
        "model": dreamer.model,
        "prompt_version": requests.prompt_version(),
        "from_seq": chunk.from_seq,
        "to_seq": chunk.to_seq,
    }


def _spent(dreamer: Dreamer, before: Usage) -> dict[str, int]:
    now = dreamer.usage
    return {
        "calls": now.calls - before.calls,
        "input_tokens": now.input_tokens - before.input_tokens,
        "output_tokens": now.output_tokens - before.output_tokens,
    }
