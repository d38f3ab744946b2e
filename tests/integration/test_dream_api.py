"""What the Messages API may do to a dream: each is one clear line, and nothing is lost."""

import pytest

from dream import api
from dream.dream import main
from tests.dream_world import FOUND, PROJECT, World, change, dreamt, nothing, prompt
from tests.messages_stub import Play, Reply, answer, error, refusal, said, text, truncated

pytestmark = pytest.mark.neo4j


def test_a_busy_api_is_asked_again(world: World) -> None:
    world.happened(prompt(FOUND))
    world.claude.play(error(429), error(529), answer(dreamt(change())))
    assert main([]) == 0
    assert len(world.claude.requests) == 3
    assert list(world.memories()) == [PROJECT]


@pytest.mark.parametrize(
    ("plays", "line"),
    [
        ([error(429, "slow down")], "rate limit was still reached after 3 retries: slow down"),
        ([error(529, "overloaded")], "the API answered 529: overloaded"),
        ([error(500, "oops")], "the API answered 500: oops"),
        ([error(400, "too much")], "the API answered 400: too much"),
        ([error(401, "invalid x-api-key")], "the API refused (401): invalid x-api-key"),
        ([refusal()], "Claude declined"),
        ([truncated()], "cut off at 32000 tokens"),
        ([text("")], "could not be used, twice: it is not valid JSON"),
        ([answer([])], "could not be used, twice: it is not a JSON object"),
        ([answer({"changes": []})], "`sessions` is missing"),
        ([Reply({})], "could not be used, twice: the reply was no message"),
        (
            [Reply(b"<html>", headers={"content-type": "text/html"})],
            "could not be used, twice: the reply was no message",
        ),
    ],
)
def test_a_failing_api_is_one_clear_line_and_loses_nothing(
    world: World, capsys: pytest.CaptureFixture[str], plays: list[Play], line: str
) -> None:
    world.happened(prompt(FOUND))
    world.claude.play(*plays)
    assert main([]) == 1
    told = capsys.readouterr().err
    assert line in told
    assert told.count("\n") == 1
    assert world.memories() == {}
    world.claude.play(answer(dreamt(change())))
    assert main([]) == 0
    assert list(world.memories()) == [PROJECT]


def test_an_api_that_does_not_answer_in_time_is_one_clear_line(
    world: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "TIMEOUT_S", 0.2)
    monkeypatch.setattr(api, "RETRIES", 0)
    world.happened(prompt(FOUND))
    world.claude.play(Reply({}, delay=60))
    assert main([]) == 1
    assert "did not answer within" in capsys.readouterr().err


def test_an_api_that_is_away_is_one_clear_line(
    world: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "RETRIES", 0)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
    world.happened(prompt(FOUND))
    assert main([]) == 1
    assert "cannot be reached at http://127.0.0.1:1" in capsys.readouterr().err


def test_an_answer_that_did_not_fit_is_asked_for_again_about_less(world: World) -> None:
    world.happened(*[prompt(f"statement {number} " + "x" * 500) for number in range(8)])
    world.claude.play(truncated(), answer(dreamt(change())), answer(nothing("S1")))
    assert main([]) == 0
    told = [said(request) for request in world.claude.requests]
    assert "statement 7" in told[0]
    assert "statement 0" in told[1]
    assert "statement 7" not in told[1]
    assert "statement 7" in told[2]


def test_the_pause_that_the_api_asks_for_is_kept(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr("anthropic._base_client.time.sleep", slept.append)
    world.happened(prompt(FOUND))
    busy = Reply(
        {"type": "error", "error": {"type": "x", "message": "wait"}}, 429, {"retry-after": "17"}
    )
    world.claude.play(busy, answer(dreamt(change())))
    assert main([]) == 0
    assert slept == [17.0]
    assert list(world.memories()) == [PROJECT]


def test_an_account_without_money_is_no_fault_of_the_sessions(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.happened(prompt(FOUND))
    world.claude.play(error(400, "Your credit balance is too low"))
    for _ in range(4):
        assert main([]) == 1
    assert "credit balance" in capsys.readouterr().err
    assert world.ask("MATCH (:Session)-[d:DEFERRED]->() RETURN d") == []
    assert world.ask("MATCH (d:Dream {person: $person}) RETURN d") == []


def test_the_fixed_part_is_the_same_in_every_request_and_marked_for_the_cache(world: World) -> None:
    world.happened(prompt("one"), repository=world.repository("alpha"))
    world.happened(prompt("two"))
    world.claude.play(answer(nothing("S1")))
    assert main([]) == 0
    first, second = world.claude.requests
    assert first["system"] == second["system"]
    assert first["system"][-1]["cache_control"] == {"type": "ephemeral"}
    assert (first["output_config"], first["model"]) == (second["output_config"], second["model"])
