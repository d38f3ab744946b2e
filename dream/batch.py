"""Message Batches: submitted now at half the price, applied by a later dream when the answers are there."""

import json
from collections.abc import Iterator
from typing import Any

import anthropic
from neo4j import ManagedTransaction

from cypher import statement
from dream import answer, api, apply, files
from dream.answer import Unusable
from dream.budget import ANSWER, Usage, estimate
from dream.chunk import Unit
from dream.errors import DreamError
from dream.lease import confirm
from dream.prepare import Prepared, Stale, context
from dream.unit import Dreamer, Part, record_of
from dreamhook.times import now


def waiting(dreamer: Dreamer, person: str) -> list[dict[str, Any]]:
    """Requests that were submitted and not yet settled: id, batch, dream, repository, context."""
    return [row["request"] for row in dreamer.store.read("dream_requests", person=person)]


def submit(
    dreamer: Dreamer, claude: Any, units: list[Unit], person: str
) -> tuple[list[Prepared], str]:
    """One batch of everything that may be asked for now, and why there is not more. Raises DreamError, LeaseLost."""
    busy = {one["repository"] for one in waiting(dreamer, person)}
    ready: list[Prepared] = []
    expected, left = Usage(), ""
    for unit in units:
        for one in files.requests(dreamer, unit) if unit.repository not in busy else ():
            left = dreamer.budget.refuses(expected, one.request)
            if left:
                break
            expected.calls += 1
            expected.input_tokens += estimate(one.request)
            ready.append(one)
    if ready:
        try:
            batch = claude.messages.batches.create(
                requests=[{"custom_id": one.id, "params": one.request} for one in ready]
            )
        except anthropic.APIError as error:
            raise _trouble(claude, error) from error
        _remember(dreamer, batch.id, ready)
        dreamer.usage.calls += 1
    return ready, left


def collect(dreamer: Dreamer, claude: Any, person: str) -> Iterator[Part | str]:
    """Apply the answers that are there: a part per answer, a line for what still runs. Raises DreamError, LeaseLost."""
    by_batch: dict[str, list[dict[str, Any]]] = {}
    for one in waiting(dreamer, person):
        by_batch.setdefault(one["batch"], []).append(one)
    for batch_id, asked in by_batch.items():
        try:
            batch = claude.messages.batches.retrieve(batch_id)
            if batch.processing_status != "ended":
                yield f"batch {batch_id}: {len(asked)} answers are not there yet"
                continue
            results = {
                one.custom_id: one.result for one in claude.messages.batches.results(batch_id)
            }
        except anthropic.NotFoundError:
            results = {}  # batches are kept for a month: then the events are offered again
        except anthropic.APIError as error:
            raise _trouble(claude, error) from error
        for one in sorted(asked, key=lambda one: int(json.loads(one["context"])["to_seq"])):
            yield _apply(dreamer, one, results.get(one["id"]), person)


def _apply(dreamer: Dreamer, asked: dict[str, Any], result: Any, person: str) -> Part:
    told = json.loads(asked["context"])
    part = Part(Unit(**told["unit"]), dream=asked["dream"])
    used = Usage(calls=1)
    try:
        if getattr(result, "type", "missing") != "succeeded":
            raise DreamError(
                f"its request in the batch came to nothing ({getattr(result, 'type', 'no result')})"
            )
        text = api.text_of(result.message, int(asked["max_tokens"]), used)
        part = files.apply_one(dreamer, told, (answer.read(text), used), person, asked["dream"])
    except (DreamError, Unusable, Stale) as error:
        part.error = str(error)
        spent = {"calls": 1, "input_tokens": used.input_tokens, "output_tokens": used.output_tokens}
        assert dreamer.lease
        apply.failed(dreamer.store, dreamer.lease, asked["dream"], spent, part.error)
    dreamer.usage.input_tokens += used.input_tokens
    dreamer.usage.output_tokens += used.output_tokens
    dreamer.usage.cache_read_tokens += used.cache_read_tokens
    dreamer.usage.cache_write_tokens += used.cache_write_tokens
    _settle(dreamer, asked["id"], "failed" if part.error else "done")
    return part


def _remember(dreamer: Dreamer, batch_id: str, ready: list[Prepared]) -> None:
    rows = []
    for one in ready:
        expected = {
            "status": "waiting",
            "calls": 1,
            "input_tokens": estimate(one.request),
            "output_tokens": ANSWER,
        }
        rows.append(
            {
                "id": one.id,
                "dream": apply.new_id(),
                "record": record_of(dreamer, one) | expected,
                "properties": {
                    "batch": batch_id,
                    "person": one.chunk.unit.person,
                    "repository": one.chunk.unit.repository,
                    "max_tokens": one.request["max_tokens"],
                    "context": json.dumps(context(one), ensure_ascii=False),
                    "created_at": now(),
                },
            }
        )
    _write(dreamer, "dream_request_store", {"requests": rows})


def _settle(dreamer: Dreamer, request_id: str, status: str) -> None:
    _write(dreamer, "dream_request_settle", {"id": request_id, "status": status})


def _write(dreamer: Dreamer, name: str, parameters: dict[str, Any]) -> None:
    def work(tx: ManagedTransaction) -> None:
        assert dreamer.lease
        confirm(tx, dreamer.lease)
        tx.run(statement(name), parameters).consume()

    dreamer.store.transaction(work)


def _trouble(claude: Any, error: anthropic.APIError) -> DreamError:
    found = api.trouble(claude, error)
    return found if isinstance(found, DreamError) else DreamError(str(found))
