"""Requests to a folder, answers from a folder: for review, for machines without a network, for evaluation.

`dream --export-requests DIR` writes one file per request, `<id>.request.json`:

    {"id": "<sixteen hex digits>", "context": {…}, "request": {…}}

`request` is exactly what `messages.create` of the anthropic SDK would be given. `context` names the events, sessions
and note versions it was made of, without their text. Nothing is written to the store, and no key is needed.

`dream --import-responses DIR` applies answers, through the same checks as any. An answer is a file in DIR whose name
begins with its request's id (`<id>.json`, `<id>.txt`, `<id>.md`, `<id>.response.json`) and holds one of

    {"reasoning": …, "sessions": […], "changes": […]}      the answer itself
    {"content": [{"type": "text", "text": …}], …}          a Messages API response
    {"custom_id": "<id>", "result": {"message": {…}}}      a line of Message Batches results
    any text in which the answer's JSON stands

The request file is looked for in DIR, then among the copies that the export kept. An answer is refused, with its
reason and nothing written, when its events were dreamed or forgotten meanwhile; a change of a note that has moved on
is dropped alone. Answers are applied in the order of their requests; one file is applied once.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dream import answer, apply
from dream.answer import Answer, Unusable
from dream.budget import Usage
from dream.chunk import Chunk, Held, Key, Unit
from dream.collect import BUDGET, chunk
from dream.context_notes import Known
from dream.decide import decide
from dream.prepare import Prepared, Stale, context, prepare, restore
from dream.unit import Dreamer, Part, record_of
from dreamhook import paths

SUFFIX = ".request.json"
ID = re.compile(r"[0-9a-f]{16}")


def requests(dreamer: Dreamer, unit: Unit) -> Iterator[Prepared]:
    """All requests that the unit's new events come to, as things stand now: later ones know nothing of the earlier
    ones' answers. Nothing is written."""
    tried: set[Key] = set()
    base = after = _watermark(dreamer, unit)
    passed: dict[Key, Held] = {}
    again = more = True
    while more:
        part = chunk(
            dreamer.store,
            unit,
            BUDGET,
            choice=dreamer.choice,
            again=again,
            tried=tried,
            after=after,
        )
        if part.empty():
            return
        if part.sessions:
            if part.to_seq:
                part.held, passed = passed | part.held, {}
            yield prepare(
                dreamer.store, part, model=dreamer.model, scrub=dreamer.rules.scrub, after=base
            )
            base = max(base, part.to_seq)
        else:
            passed |= part.held
        tried |= {session.key() for session in part.sessions.values()}
        after, again, more = max(after, part.to_seq), again and not part.to_seq, part.more


def export(dreamer: Dreamer, units: list[Unit], folder: Path) -> list[Path]:
    """Write the request files. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    written = []
    for unit in units:
        for ready in requests(dreamer, unit):
            told = {"id": ready.id, "context": context(ready), "request": ready.request}
            file = folder / f"{ready.id}{SUFFIX}"
            _write(file, json.dumps(told, ensure_ascii=False, indent=1))
            _write(
                _kept(ready.id),
                json.dumps({"id": ready.id, "context": told["context"]}, ensure_ascii=False),
            )
            written.append(file)
    return written


@dataclass(frozen=True)
class Outcome:
    """What became of one answer file; `refused` says why it was not applied."""

    id: str
    part: Part | None = None
    refused: str = ""


def apply_answers(dreamer: Dreamer, folder: Path, person: str) -> Iterator[Outcome]:
    """Apply every answer in the folder. Raises LeaseLost, OSError and the driver's errors."""
    found = []
    for file in sorted(folder.iterdir()):
        name = ID.match(file.name)
        if not name or file.name.endswith(SUFFIX) or not file.is_file():
            continue
        try:
            told = _context(folder, name[0])
            found.append((told["to_seq"], told["after"], name[0], file, told))
        except (OSError, ValueError, KeyError, TypeError):
            yield Outcome(
                name[0],
                refused=f"{file.name}: no readable request file {name[0]}{SUFFIX} beside it",
            )
    for _, _, request_id, file, told in sorted(found, key=lambda one: one[:3]):
        try:
            given = read_answer(file.read_text(encoding="utf-8", errors="replace"))
            part = apply_one(dreamer, told, given, person)
            yield Outcome(request_id, part)
        except Unusable as error:
            yield Outcome(request_id, refused=f"{file.name}: the answer cannot be used: {error}")
        except Stale as error:
            yield Outcome(request_id, refused=f"{file.name}: {error}; the answer was not applied")


def apply_one(
    dreamer: Dreamer,
    told: dict[str, Any],
    given: tuple[Answer, Usage],
    person: str,
    dream_id: str = "",
) -> Part:
    """Check an answer that came later, and store it. Raises Stale, LeaseLost and the driver's errors."""
    part_of, known = restore(dreamer.store, told, person)
    found, used = given
    decision = decide(dreamer.store, found, part_of, known, dreamer.rules, dreamer.made)
    part = Part(part_of.unit, decision, dream=dream_id or apply.new_id())
    if dreamer.lease:
        spent = {"calls": 1, "input_tokens": used.input_tokens, "output_tokens": used.output_tokens}
        record = record_of(dreamer, _ready(part_of, known, told)) | spent | {"model": told["model"]}
        record["prompt_version"] = told["prompt_version"]
        part.decision = apply.store(
            dreamer.store, dreamer.lease, decision, part_of, part.dream, record
        )
        dreamer.made += part.decision.changes
    return part


def read_answer(text: str) -> tuple[Answer, Usage]:
    """The answer in a file of any of the accepted forms, and what it says it cost. Raises Unusable."""
    used = Usage(calls=1)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return answer.read(text), used
    for key in ("response", "result", "message"):
        if isinstance(value, dict) and "changes" not in value and isinstance(value.get(key), dict):
            value = value[key]
        elif isinstance(value, dict) and "changes" not in value and isinstance(value.get(key), str):
            return answer.read(value[key]), used
    if isinstance(value, dict) and isinstance(value.get("content"), list):
        used.add(value["usage"] if isinstance(value.get("usage"), dict) else {})
        blocks = [block for block in value["content"] if isinstance(block, dict)]
        tool = next(
            (block.get("input") for block in blocks if block.get("type") == "tool_use"), None
        )
        if tool is not None:
            return answer.of(tool), used
        return answer.read("".join(str(block.get("text") or "") for block in blocks)), used
    return answer.of(value), used


def _ready(part: Chunk, known: Known, told: dict[str, Any]) -> Prepared:
    return Prepared("", part, known, {}, told["after"])


def _watermark(dreamer: Dreamer, unit: Unit) -> int:
    return int(
        dreamer.store.read("dream_seen", person=unit.person, repository=unit.repository)[0]["seq"]
    )


def _context(folder: Path, request_id: str) -> dict[str, Any]:
    """Raises OSError, ValueError, KeyError, TypeError."""
    beside = folder / f"{request_id}{SUFFIX}"
    file = beside if beside.exists() else _kept(request_id)
    found = json.loads(file.read_text(encoding="utf-8"))["context"]
    if not isinstance(found, dict):
        raise TypeError
    return found


def _kept(request_id: str) -> Path:
    paths.make_private(paths.state_dir())
    return Path(paths.state_file(paths.REQUESTS), f"{request_id}{SUFFIX}")


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file.touch(mode=0o600)
    file.write_text(text + "\n", encoding="utf-8")
