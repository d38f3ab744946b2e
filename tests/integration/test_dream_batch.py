"""Message Batches, driven by the real SDK: submitted now, applied by a later dream through the same checks."""

from typing import Any

import pytest

from dream.dream import main
from tests.dream_world import FOUND, PROJECT, World, change, dreamt, nothing, prompt, watermark
from tests.messages_stub import Play, Reply, answer, expired, refusal, said, text, truncated

pytestmark = pytest.mark.neo4j


@pytest.fixture
def world(world: World) -> World:
    with (world.home / "config.toml").open("a", encoding="utf-8") as config:
        config.write('\n[dream]\nbackend = "batch"\n')
    return world


ERRORED = Reply(
    {"type": "errored", "error": {"type": "error", "error": {"type": "x", "message": "m"}}}, 500
)
"""A result, as JSON; the status only says that it is not a message."""


def by_content(body: dict[str, Any]) -> Reply:
    return answer(dreamt(change()) if FOUND in said(body) else nothing("S1"))


def test_a_batch_is_submitted_now_and_applied_when_its_answers_are_there(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.happened(prompt("elsewhere"), repository=world.repository("alpha"))
    world.happened(prompt(FOUND))
    world.claude.play(by_content)
    assert main([]) == 0
    assert "2 requests submitted as a batch" in capsys.readouterr().out
    [requests] = world.claude.batches.values()
    assert [set(one) for one in requests] == [{"custom_id", "params"}] * 2
    assert "output_config" in requests[0]["params"]
    assert world.memories() == {}
    assert watermark(world) == 0
    assert main([]) == 0
    told = capsys.readouterr().out
    assert "2 answers are not there yet" in told
    assert len(world.claude.batches) == 1
    world.claude.batches_done = True
    assert main([]) == 0
    assert list(world.memories()) == [PROJECT]
    assert watermark(world) > 0
    assert watermark(world, world.repository("alpha")) > 0
    rows = world.ask(
        "MATCH (d:Dream {person: $person}) RETURN d.status AS s, d.input_tokens AS t, d.backend AS b"
    )
    assert rows == [{"s": "done", "t": 1200, "b": "batch"}] * 2
    assert "2,400 tokens in, 100 out, about $0.00" in capsys.readouterr().out
    assert main([]) == 0
    assert "nothing new, no call made" in capsys.readouterr().out


def test_what_is_kept_of_a_request_holds_no_text_of_the_events(world: World) -> None:
    world.happened(prompt(FOUND))
    assert main([]) == 0
    [row] = world.ask("MATCH (q:DreamRequest {person: $person}) RETURN q {.*} AS q")
    assert FOUND not in str(row)


@pytest.mark.parametrize(
    ("play", "line"),
    [
        (expired(), "came to nothing (expired)"),
        (
            Reply(
                {
                    "type": "errored",
                    "error": {"type": "error", "error": {"type": "x", "message": "m"}},
                },
                500,
            ),
            "errored",
        ),
        (truncated(), "cut off"),
        (refusal(), "declined"),
        (text("Sure!"), "not valid JSON"),
    ],
)
def test_a_request_that_came_to_nothing_is_one_line_and_offered_again(
    world: World, capsys: pytest.CaptureFixture[str], play: Play, line: str
) -> None:
    world.happened(prompt(FOUND))
    assert main([]) == 0
    world.claude.batches_done = True
    world.claude.play(play, by_content)
    assert main([]) == 1
    told = capsys.readouterr().err
    assert line in told
    assert told.count("\n") == 1
    assert len(world.claude.batches) == 2
    assert main([]) == 0
    assert list(world.memories()) == [PROJECT]


def test_answers_to_events_that_another_dream_took_meanwhile_are_not_applied(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.happened(prompt(FOUND))
    assert main([]) == 0
    world.ask(
        "MERGE (w:Watermark {person: $person, repository: $r}) SET w.seq = 9999",
        r=world.repository(),
    )
    world.claude.batches_done = True
    world.claude.play(by_content)
    assert main([]) == 1
    assert "another dream has been over its events since" in capsys.readouterr().err
    assert world.memories() == {}


def test_a_batch_that_is_gone_is_offered_again(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.happened(prompt(FOUND))
    assert main([]) == 0
    world.claude.batches.clear()
    assert main([]) == 1
    assert "came to nothing (no result)" in capsys.readouterr().err
    assert len(world.claude.batches) == 1


def test_an_api_that_refuses_a_batch_is_one_clear_line(
    world: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dream.api.RETRIES", 0)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
    world.happened(prompt(FOUND))
    assert main([]) == 1
    assert "cannot be reached" in capsys.readouterr().err


def test_what_was_submitted_counts_against_the_day(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.happened(prompt(FOUND))
    assert main([]) == 0
    [row] = world.ask(
        "MATCH (d:Dream {person: $person}) RETURN d.status AS status, d.input_tokens AS tokens"
    )
    assert row["status"] == "waiting"
    assert row["tokens"] > 1_000
