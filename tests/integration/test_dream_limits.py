"""What a dream may cost: per call, per run and per day, whatever happens in between."""

from typing import Any

import pytest

from dream.dream import main
from tests.dream_world import FOUND, World, nothing, prompt, watermark
from tests.messages_stub import Reply, answer, truncated

pytestmark = pytest.mark.neo4j


def limited(world: World, **limits: float) -> None:
    lines = "".join(f"{name} = {value}\n" for name, value in limits.items())
    with (world.home / "config.toml").open("a", encoding="utf-8") as config:
        config.write(f"\n[dream]\n{lines}")


@pytest.mark.parametrize(
    ("limits", "asked", "reason"),
    [
        ({"tokens_per_run": 100}, 0, "the run's 100 tokens would not be enough"),
        (
            {"tokens_per_day": 100},
            0,
            "the day's 100 tokens would not be enough (0 were used before)",
        ),
        ({"calls_per_run": 1}, 1, "the run's 1 calls are used up"),
        ({"minutes_per_run": 0}, 0, "minutes are over"),
    ],
)
def test_a_run_stops_at_its_limits_and_the_rest_waits(
    world: World,
    capsys: pytest.CaptureFixture[str],
    limits: dict[str, float],
    asked: int,
    reason: str,
) -> None:
    limited(world, **limits)
    world.happened(prompt("in alpha"), repository=world.repository("alpha"))
    world.happened(prompt(FOUND))
    world.claude.play(answer(nothing("S1")))
    assert main([]) == 0
    assert len(world.claude.requests) == asked
    assert reason in capsys.readouterr().out
    assert watermark(world) == 0


def test_what_a_day_may_cost_outlives_the_run(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    limited(world, tokens_per_day=7_000)
    world.claude.play(answer(nothing("S1")))
    for number in range(4):
        world.happened(prompt(f"statement {number}"))
        assert main([]) == 0
    told = capsys.readouterr().out
    assert 0 < len(world.claude.requests) < 4
    assert "today 1,250 of 7,000 tokens used" in told
    assert "the day's 7,000 tokens would not be enough" in told


def test_a_call_whose_dream_was_killed_counts_as_spent(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.happened(prompt(FOUND))

    def killed(_: dict[str, Any]) -> Reply:
        world.ask("MATCH (l:Lease) SET l.owner = 'another', l.expires_at = 0")
        return truncated()

    world.claude.play(killed)
    assert main([]) == 1
    [row] = world.ask(
        "MATCH (d:Dream {person: $person}) RETURN d.status AS status, d.input_tokens AS tokens"
    )
    assert row["status"] == "asked"
    assert row["tokens"] > 1_000
    world.claude.play(answer(nothing("S1")))
    assert main([]) == 0
    assert f"today {row['tokens'] + 3_000:,} of" in capsys.readouterr().out
