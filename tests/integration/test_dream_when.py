"""When a dream does nothing: nothing new, not now, not possible, not its turn."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dream import collect, lease
from dream.dream import main
from tests.dream_world import FOUND, PROJECT, World, change, dreamt, nothing, prompt, watermark
from tests.messages_stub import Reply, answer, said

pytestmark = pytest.mark.neo4j

ROOT = Path(__file__).parents[2]


# Nothing to do, not now, not possible


def test_nothing_new_makes_no_request(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.happened(prompt(FOUND))
    assert main([]) == 0
    world.claude.play(answer(nothing()))
    capsys.readouterr()
    assert main([]) == 0
    assert world.claude.requests == []
    assert capsys.readouterr().out == "dream: nothing new, no call made\n"


def test_events_that_say_nothing_need_no_request_and_no_key(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.happened({"event_name": "SessionStart"}, {"event_name": "SessionEnd"})
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    assert main([]) == 0
    assert world.claude.requests == []


def test_many_events_that_say_nothing_do_not_hide_one_that_does(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collect, "READ_LIMIT", 2)
    world.happened(*[{"event_name": "Notification"}] * 5, prompt(FOUND))
    assert main([]) == 0
    assert [FOUND in said(request) for request in world.claude.requests] == [True]


def test_the_installers_own_session_is_not_dreamed(world: World) -> None:
    world.happened(prompt("selftest"), synthetic=True)
    assert main([]) == 0
    assert world.claude.requests == []


def test_another_persons_events_are_not_dreamed(world: World) -> None:
    world.happened(prompt("not mine"), person="somebody-else")
    assert main([]) == 0
    assert world.claude.requests == []


def test_without_a_key_one_line_says_so_and_nothing_changes(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    world.happened(prompt(FOUND))
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    before = world.whole_graph()
    assert main([]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert "ANTHROPIC_API_KEY" in told.err
    assert world.whole_graph() == before


def test_the_key_may_lie_in_a_file(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.happened(prompt(FOUND))
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    (world.home / "anthropic_api_key").write_text("file-key\n", encoding="utf-8")
    assert main([]) == 0
    assert len(world.claude.requests) == 1


def test_a_scheduled_dream_is_quiet_until_it_is_due(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.happened(prompt(FOUND))
    assert main(["--scheduled"]) == 0
    world.happened(prompt("more"))
    capsys.readouterr()
    assert main(["--scheduled"]) == 0
    assert capsys.readouterr() == ("", "")
    assert len(world.claude.requests) == 1
    assert main(["--scheduled", "--now"]) == 0
    assert len(world.claude.requests) == 2


def test_only_the_named_repository_is_dreamed(world: World) -> None:
    world.happened(prompt("in billing"))
    world.happened(prompt("in website"), repository=world.repository("website"))
    assert main(["--repo", "website"]) == 0
    [request] = world.claude.requests
    assert "in website" in said(request)
    assert watermark(world) == 0


def test_a_dry_run_shows_the_change_and_leaves_the_graph_as_it_was(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.happened(prompt(FOUND))
    world.claude.play(answer(dreamt(change())))
    before = world.whole_graph()
    assert main(["--dry-run"]) == 0
    assert world.whole_graph() == before
    assert len(world.claude.requests) == 1
    told = capsys.readouterr().out
    assert f"would create {PROJECT}" in told
    assert f"+{FOUND}" in told


def test_while_another_dream_works_this_one_leaves(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.happened(prompt(FOUND))
    with lease.held(world.driver) as mine:
        assert mine
        assert main([]) == 0
    assert "another dream is at work" in capsys.readouterr().out
    assert world.claude.requests == []
    assert main([]) == 0
    assert len(world.claude.requests) == 1


def test_a_dream_that_lost_its_lease_writes_nothing(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.happened(prompt(FOUND))

    def taken_over(_: dict[str, Any]) -> Reply:
        world.ask("MATCH (l:Lease {name: 'dream'}) SET l.owner = 'another'")
        return answer(dreamt(change()))

    world.claude.play(taken_over)
    assert main([]) == 1
    assert "another dream took over" in capsys.readouterr().err
    assert world.memories() == {}
    assert watermark(world) == 0
    world.ask("MATCH (l:Lease) SET l.expires_at = 0")


def test_a_lease_that_ran_out_is_taken_over(world: World) -> None:
    world.happened(prompt(FOUND))
    world.ask(
        "MERGE (l:Lease {name: 'dream'}) SET l.owner = 'killed', l.expires_at = timestamp() - 1"
    )
    assert main([]) == 0
    assert len(world.claude.requests) == 1


def test_a_dream_that_was_killed_while_the_model_thought_leaves_nothing_half_done(
    world: World,
) -> None:
    world.happened(prompt(FOUND))
    world.claude.play(Reply({}, delay=60))
    command = [sys.executable, "-m", "dream.dream"]
    with subprocess.Popen(
        command, cwd=ROOT, env=dict(os.environ), stdout=subprocess.DEVNULL
    ) as process:
        while not world.claude.requests and process.poll() is None:
            continue
        process.kill()
    assert process.returncode == -9
    assert world.memories() == {}
    assert watermark(world) == 0
    world.claude.play(answer(dreamt(change())))
    assert main([]) == 0
    assert world.claude.requests == []  # it may still be at work
    world.ask("MATCH (l:Lease {name: 'dream'}) SET l.expires_at = timestamp() - 1")
    assert main([]) == 0
    assert list(world.memories()) == [PROJECT]
