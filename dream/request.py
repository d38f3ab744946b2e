"""The one request: fixed instructions first, so that they are cached; then the data, fenced; an answer by schema.

The answer is asked for as a JSON schema (`output_config.format`) and not as a forced tool call: models that think
by default refuse a forced tool (Claude Sonnet 5.5 and later), and a request without tools can do nothing else.
"""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from dream import collect
from dream.chunk import Chunk
from dream.context_notes import Known

MAX_TOKENS = 32_000
"""Models that think by default spend a part of these on it."""
KINDS = ("preference", "rule", "decision", "lesson", "fact", "howto")
ACTIONS = ("create", "update", "supersede", "cue")
OUTCOMES = ("used", "nothing_durable", "deferred")


def build(
    chunk: Chunk, known: Known, *, model: str, today: str, scrub: Callable[[str], str]
) -> dict[str, Any]:
    """Keyword arguments for `messages.create`. `today`: YYYY-MM-DD. All recorded text goes through `scrub`."""
    data = _data(chunk, known, scrub)
    # What is inside cannot name its own fence, so it cannot close it.
    fence = "data-" + hashlib.sha256("".join(data.values()).encode()).hexdigest()[:12]
    text = prompt("input").format(
        today=today,
        repository=scrub(chunk.unit.remote or chunk.unit.name),
        person=chunk.unit.person,
        fence_open=f"<{fence}>",
        fence_close=f"</{fence}>",
        accounted=chunk.refs(),
        **data,
    )
    return {
        "model": model,
        "max_tokens": MAX_TOKENS,
        "system": [
            {"type": "text", "text": prompt("system"), "cache_control": {"type": "ephemeral"}}
        ],
        "messages": [{"role": "user", "content": [{"type": "text", "text": text}]}],
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
    }


def repair(request: dict[str, Any], reason: str) -> dict[str, Any]:
    """The same request, told why its answer could not be used."""
    (message,) = request["messages"]
    again = {"type": "text", "text": prompt("repair").format(reason=reason)}
    return request | {"messages": [message | {"content": [*message["content"], again]}]}


@cache
def prompt(name: str) -> str:
    return (
        Path(__file__)
        .with_name("prompts")
        .joinpath(f"{name}.md")
        .read_text(encoding="utf-8")
        .strip()
    )


def prompt_version() -> str:
    """Twelve hex digits that change with any prompt or the schema; kept with each dream."""
    texts = [prompt(name) for name in ("system", "input", "repair")]
    return hashlib.sha256("\0".join([*texts, repr(SCHEMA)]).encode()).hexdigest()[:12]


def _data(chunk: Chunk, known: Known, scrub: Callable[[str], str]) -> dict[str, str]:
    heads = [
        f"## {row['path']} · version {row['version']}{_state(row)}\n" for row in known.full.values()
    ]
    notes = [
        head + scrub(row["content"]) for head, row in zip(heads, known.full.values(), strict=True)
    ]
    lines = [scrub(f"- {row['path']}: {row['description']}") for row in known.catalogue]
    sessions = [collect.text(session, scrub) for session in chunk.sessions.values()]
    return {
        "notes": "<notes>\n" + ("\n\n".join(notes) or "(none yet)") + "\n</notes>",
        "catalogue": "<catalogue>\n" + ("\n".join(lines) or "(no others)") + "\n</catalogue>",
        "sessions": "<sessions>\n" + "\n\n".join(sessions) + "\n</sessions>",
    }


def _state(row: dict[str, Any]) -> str:
    """What the model must know of a note besides its text."""
    facts = [
        " · pinned by the person" if row["pinned"] else "",
        " · written by the person" if row["by_hand"] else "",
    ]
    return "".join([*facts, "" if row["cues"] else " · has no cues yet"])


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


_TEXT = {"type": "string"}
SCHEMA = _object(
    reasoning=_TEXT,
    sessions=_list(
        _object(session=_TEXT, why=_TEXT, outcome={"type": "string", "enum": list(OUTCOMES)})
    ),
    changes=_list(
        _object(
            why=_TEXT,
            action={"type": "string", "enum": list(ACTIONS)},
            path=_TEXT,
            read_version={"type": "integer"},
            title=_TEXT,
            kind={"type": "string", "enum": list(KINDS)},
            description=_TEXT,
            cues=_list(_TEXT),
            body=_TEXT,
            evidence=_list(_TEXT),
            review_by=_TEXT,
        )
    ),
)
"""In the order the model writes it: reasons come before what they decide."""
