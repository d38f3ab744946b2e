"""Which sessions a dream takes, and what becomes of those it leaves, fails on, or cannot hold in one request."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from dream import collect
from dream.dream import main
from dreamhook.store.query import Store
from tests.dream_world import (
    FOUND,
    PROJECT,
    World,
    change,
    dreamt,
    final,
    nothing,
    prompt,
    watermark,
)
from tests.messages_stub import Reply, answer, refusal, said, text, truncated

pytestmark = pytest.mark.neo4j


def minutes_ago(minutes: float) -> str:
    return (datetime.now(UTC) - timedelta(minutes=minutes)).isoformat(timespec="microseconds")


def refs(body: dict[str, Any]) -> list[str]:
    return re.findall(r"^## (?:subagent )?session (S\d+)", said(body), re.MULTILINE)


def settled(body: dict[str, Any]) -> Reply:
    return answer(nothing(*refs(body)))


def told(world: World) -> list[str]:
    return [said(request) for request in world.claude.requests]


def put_off(world: World) -> list[dict[str, Any]]:
    return world.ask(
        "MATCH (s)-[d:DEFERRED]->(:Watermark {person: $person}) "
        "RETURN s.session_id AS session, d.state AS state, d.failures AS failures, d.why AS why"
    )


# Still running


def test_a_running_session_is_left_named_and_taken_when_it_ended(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    session = world.happened(prompt("half a thought", timestamp=minutes_ago(1)))
    assert main([]) == 0
    assert world.claude.requests == []
    line = capsys.readouterr().out
    assert f"left until they end or fall silent: claude_code {session[:8]}" in line
    assert "`dreamhook dream --now` includes them" in line
    world.happened({"event_name": "SessionEnd", "timestamp": minutes_ago(0.5)}, session=session)
    assert main([]) == 0
    assert "half a thought" in told(world)[0]


def test_a_silent_session_counts_as_over(world: World) -> None:
    world.happened(prompt("long silent", timestamp=minutes_ago(21)))
    world.happened(prompt("just now", timestamp=minutes_ago(19)))
    world.claude.play(settled)
    assert main([]) == 0
    assert ["long silent" in told(world)[0], "just now" in told(world)[0]] == [True, False]


def test_how_long_is_silent_is_the_persons_to_say(world: World) -> None:
    with (world.home / "config.toml").open("a", encoding="utf-8") as config:
        config.write("\n[dream]\nidle_minutes = 5\n")
    world.happened(prompt("six minutes", timestamp=minutes_ago(6)))
    assert main([]) == 0
    assert "six minutes" in told(world)[0]


def test_now_takes_running_sessions_too(world: World) -> None:
    world.happened(prompt("half a thought", timestamp=minutes_ago(1)))
    assert main(["--now"]) == 0
    assert "half a thought" in told(world)[0]


def test_a_clock_far_ahead_does_not_keep_a_session_running_for_ever(world: World) -> None:
    world.happened(prompt("from the future", timestamp=minutes_ago(-600)))
    assert main([]) == 0
    assert "from the future" in told(world)[0]


def test_a_running_session_does_not_hold_up_the_others_and_is_offered_whole_when_it_is_over(
    world: World,
) -> None:
    running = world.happened(prompt("first half", timestamp=minutes_ago(2)))
    world.happened(prompt("somebody else's", timestamp=minutes_ago(40)))
    world.claude.play(settled)
    assert main([]) == 0
    assert ["first half" in told(world)[0], "somebody else's" in told(world)[0]] == [False, True]
    world.happened(prompt("second half", timestamp=minutes_ago(1)), session=running)
    assert main([]) == 0
    assert len(told(world)) == 1
    world.happened({"event_name": "SessionEnd", "timestamp": minutes_ago(0)}, session=running)
    assert main([]) == 0
    assert len(told(world)) == 2
    assert told(world)[1].index("first half") < told(world)[1].index("second half")
    assert len(refs(world.claude.requests[1])) == 1
    assert put_off(world) == []
    assert main([]) == 0
    assert len(told(world)) == 2


def test_a_held_session_that_fell_silent_is_offered_without_any_new_event(world: World) -> None:
    session = world.happened(prompt("half a thought", timestamp=minutes_ago(1)))
    world.happened(prompt("other", timestamp=minutes_ago(40)))
    world.claude.play(settled)
    assert main([]) == 0
    world.ask(
        "MATCH (s:Session {session_id: $session}) SET s.open_at = '2020-01-01'", session=session
    )
    assert main([]) == 0
    assert "half a thought" in told(world)[1]


# Only what was asked for


def test_since_leaves_older_sessions_for_the_next_dream(world: World) -> None:
    world.happened(prompt("old one", timestamp=minutes_ago(600)))
    world.happened(prompt("new one", timestamp=minutes_ago(30)))
    world.claude.play(settled)
    assert main(["--since", "1h"]) == 0
    assert main([]) == 0
    assert ["old one" in one for one in told(world)] == [False, True]
    assert ["new one" in one for one in told(world)] == [True, False]


def test_only_the_named_session_is_dreamed_and_the_others_wait(world: World) -> None:
    world.happened(prompt("not this"))
    wanted = world.happened(prompt("this one", timestamp=minutes_ago(1)))
    world.claude.play(settled)
    assert main(["--session", wanted[:12]]) == 0
    assert main([]) == 0
    assert ["this one" in one for one in told(world)] == [True, False]
    assert ["not this" in one for one in told(world)] == [False, True]


def test_a_time_that_is_none_is_one_clear_line(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--since", "soon"]) == 1
    assert "is no time: say 2026-11-29" in capsys.readouterr().err


# Failing


def test_one_session_that_cannot_be_answered_does_not_hold_up_its_neighbours(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(3):
        world.happened(prompt("poison" if number == 0 else f"statement {number}"))
    world.claude.play(
        lambda body: text("I would rather talk.") if "poison" in said(body) else settled(body)
    )
    assert main([]) == 1
    assert sum("poison" in one for one in told(world)) == 4
    assert any("statement 1" in one and "poison" not in one for one in told(world))
    assert any("statement 2" in one and "poison" not in one for one in told(world))
    [left] = put_off(world)
    assert (left["state"], left["failures"]) == ("alone", 1)
    assert "twice" in capsys.readouterr().err


@pytest.mark.parametrize("bad", [text("no"), refusal(), truncated()])
def test_a_session_that_failed_three_times_is_parked_visible_and_tried_again_only_when_asked(
    world: World, capsys: pytest.CaptureFixture[str], bad: Reply
) -> None:
    session = world.happened(prompt("poison"))
    world.claude.play(bad)
    for _ in range(collect.TIMES):
        assert main([]) == 1
    assert [one["state"] for one in put_off(world)] == ["parked"]
    world.claude.play(settled)
    assert main([]) == 0
    world.happened(prompt("later"))
    assert main([]) == 0
    assert ["poison" in one for one in told(world)] == [False]
    capsys.readouterr()
    assert main(["log"]) == 0
    assert (
        f"session claude_code {session[:8]} parked, `dream --retry-parked` tries it again"
        in capsys.readouterr().out
    )
    assert main(["--retry-parked"]) == 0
    assert "poison" in told(world)[-1]
    assert put_off(world) == []


def test_a_model_that_never_makes_sense_is_not_asked_about_everything(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(8):
        world.happened(prompt(f"statement {number}"))
    world.claude.play(text("no"))
    assert main([]) == 1
    assert len(world.claude.requests) == 6
    assert "3 answers in a row could not be used" in capsys.readouterr().err
    world.claude.play(settled)
    assert main([]) == 0
    assert [sum(f"statement {number}" in one for one in told(world)) for number in range(8)] == [
        1
    ] * 8


# Too long


def test_a_session_too_long_for_one_request_comes_in_parts_that_say_what_they_belong_to(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dream.unit.BUDGET", 3_000)
    steps = [final(f"step {number} " + "x" * 900) for number in range(6)]
    world.happened(prompt("make the importer faster"), *steps)
    world.claude.play(settled)
    assert main([]) == 0
    parts = told(world)
    assert len(parts) == 2
    assert max(map(len, parts)) < 3_000 + 1_500
    assert all("make the importer faster" in part for part in parts)
    assert all(
        "(continued; earlier in it the user had asked: make the importer faster)" in part
        for part in parts[1:]
    )
    assert [sum(f"step {number}" in part for part in parts) for number in range(6)] == [1] * 6


def test_a_held_session_too_long_for_one_request_comes_in_parts_too(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dream.unit.BUDGET", 3_000)
    steps = [final(f"step {number} " + "x" * 900) for number in range(6)]
    session = world.happened(prompt("begin", timestamp=minutes_ago(1)), *steps)
    world.happened(prompt("other", timestamp=minutes_ago(40)))
    world.ask(
        "MATCH (s:Session {session_id: $s}) SET s.open_at = $at", s=session, at=minutes_ago(1)
    )
    world.claude.play(settled)
    assert main([]) == 0
    world.ask("MATCH (s:Session {session_id: $s}) REMOVE s.open_at", s=session)
    while put_off(world):
        before = len(told(world))
        assert main([]) == 0
        assert len(told(world)) > before
    assert max(map(len, told(world))) < 3_000 + 1_500
    assert [sum(f"step {number}" in part for part in told(world)) for number in range(6)] == [1] * 6


def test_nothing_is_lost_when_a_dream_is_killed_between_any_two_steps(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each write of the dream, in turn, is the last thing it does; the next dream must end as if nothing had been."""

    class Killed(BaseException):
        pass

    transaction = Store.transaction
    killed_at: list[int] = []
    for last in range(12):
        world.ask("MATCH (n) WHERE NOT n:SchemaVersion AND NOT n:Counter DETACH DELETE n")
        world.happened(prompt(FOUND))
        world.claude.play(answer(dreamt(change())))
        count = 0

        def counted(*arguments: Any, last: int = last) -> Any:
            nonlocal count
            if count == last:
                raise Killed
            count += 1
            return transaction(*arguments)

        with monkeypatch.context() as patch:
            patch.setattr(Store, "transaction", counted)
            try:
                main([])
            except Killed:
                killed_at.append(last)
        world.ask("MATCH (l:Lease) SET l.expires_at = 0")  # its time is up
        assert main([]) == 0
        assert world.memories()[PROJECT]["version"] == 1
        assert watermark(world) > 0
        assert put_off(world) == []
    assert killed_at == list(range(len(killed_at)))
    assert len(killed_at) >= 4  # lease, begin, store, lease given back
