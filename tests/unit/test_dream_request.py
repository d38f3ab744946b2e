from collections.abc import Iterator
from typing import Any

from dream import request
from dream.collect import Chunk, Session, Source, Unit
from dream.context_notes import TERMS, Known, terms
from dream.evidence import merge
from dreamhook.memory.note_file import Evidence

LINES = ["[E1] 10:00 user:\n  {braces}"]


def chunk() -> Chunk:
    session = Session("S1", "claude_code", "id-1", "/x", "main", False, "2026-11-29", 1, 2, LINES)
    sources = {
        ref: Source(f"event-{ref}", "S1", "2026-11-29", own_words=True) for ref in ("E1", "E2")
    }
    return Chunk(Unit("ada", "api-1", "api", None), 1, 2, sessions={"S1": session}, sources=sources)


def build(scrub: Any = str) -> dict[str, Any]:
    return request.build(chunk(), Known({}, []), model="m", today="2026-11-29", scrub=scrub)


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for value in schema.values():
            yield from objects(value)


def test_the_schema_keeps_to_what_structured_output_allows() -> None:
    found = list(objects(request.SCHEMA))
    assert len(found) == 3
    for schema in found:
        assert schema["additionalProperties"] is False
        assert schema["required"] == list(schema["properties"])


def test_reasons_are_asked_for_before_what_they_decide() -> None:
    properties = request.SCHEMA["properties"]
    assert list(properties) == ["reasoning", "sessions", "changes"]
    assert list(properties["sessions"]["items"]["properties"]).index("why") < 2
    assert next(iter(properties["changes"]["items"]["properties"])) == "why"


def test_the_fixed_part_is_the_same_for_every_request() -> None:
    assert build()["system"] == [
        {"type": "text", "text": request.prompt("system"), "cache_control": {"type": "ephemeral"}}
    ]
    assert build()["output_config"] == build()["output_config"]


def test_braces_in_recorded_text_are_only_text() -> None:
    assert "{braces}" in build()["messages"][0]["content"][0]["text"]


def test_recorded_text_is_scrubbed() -> None:
    text = build(lambda text: text.replace("braces", "[REDACTED]"))["messages"][0]["content"][0][
        "text"
    ]
    assert "{[REDACTED]}" in text


def test_a_repair_tells_the_reason_and_leaves_the_first_request_as_it_was() -> None:
    first = build()
    again = request.repair(first, "no JSON")
    assert len(first["messages"][0]["content"]) == 1
    assert "no JSON" in again["messages"][0]["content"][1]["text"]
    assert again | {"messages": first["messages"]} == first


def test_terms_for_the_query_are_distinct_words_without_syntax() -> None:
    assert terms(["src/a.py AND (foo[0]) what's", "foo foo! NOT:x ab"]) == [
        "src",
        "and",
        "foo",
        "what",
        "not",
    ]
    assert len(terms([" ".join(f"word{number}" for number in range(5_000))])) == TERMS


def test_evidence_grows_by_session_and_names_no_event_twice() -> None:
    before = [
        Evidence(client="claude_code", session="id-1", date="2026-11-01", events=["event-E1"]),
        Evidence(client="codex", session="other", date="2026-11-02", events=["x"]),
    ]
    merged = merge(before, list(chunk().sources.values()), chunk())
    assert merged == [
        Evidence(client="codex", session="other", date="2026-11-02", events=["x"]),
        Evidence(
            client="claude_code", session="id-1", date="2026-11-01", events=["event-E1", "event-E2"]
        ),
    ]
