"""What a dream may never lose: facts, earlier texts, events, sessions."""

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from dream import apply, collect
from dream.dream import main
from dreamhook.memory import note_file, note_versions
from dreamhook.memory.note_versions import Version
from tests.dream_world import (
    FOUND,
    PROJECT,
    World,
    change,
    dreamt,
    nothing,
    prompt,
    update,
    watermark,
)
from tests.messages_stub import Reply, answer, said, text

pytestmark = pytest.mark.neo4j

WAITING = "SHOW TRANSACTIONS YIELD status WHERE status STARTS WITH 'Blocked' RETURN status"


def test_two_repositories_changing_one_path_in_one_run_both_keep_their_fact(world: World) -> None:
    path = "profile/answers.md"
    world.happened(prompt("first wish"))
    world.happened(prompt("second wish"), repository=world.repository("website"))

    def merged(body: dict[str, Any]) -> Reply:
        assert "first wish" in said(body)
        return answer(
            dreamt(change(path, action="update", read_version=1, body="first wish\nsecond wish"))
        )

    world.claude.play(answer(dreamt(change(path, body="first wish"))), merged)
    assert main([]) == 0
    assert note_file.body(world.memories()[path]["content"]) == "first wish\nsecond wish"


def test_an_update_of_a_version_that_is_no_longer_there_is_dropped(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.happened(prompt(FOUND))
    world.claude.play(answer(dreamt(change())))
    assert main([]) == 0
    world.happened(prompt("more"))
    world.claude.play(answer(dreamt(change(action="update", read_version=7, body="lost"))))
    assert main([]) == 0
    assert (
        "dropped a change of project/batch-retries.md: the note is at version 1"
        in capsys.readouterr().out
    )
    assert note_file.body(world.memories()[PROJECT]["content"]) == FOUND


def test_a_note_changed_while_the_model_was_thinking_is_not_overwritten(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.happened(prompt(FOUND))
    world.claude.play(answer(dreamt(change())))
    assert main([]) == 0
    world.happened(prompt("more"))
    real, edited = apply.note_versions.write, []

    def edit_first(*arguments: Any) -> int | None:
        if not edited:
            edited.append(True)
            arguments[0].run(
                "MATCH (m:Memory {owner: $p}) SET m.version = 2, m.content = 'by hand'",
                p=world.person,
            )
        return real(*arguments)

    apply.note_versions.write = edit_first
    try:
        world.claude.play(answer(dreamt(update(world, FOUND + " Overwritten."))))
        assert main([]) == 0
    finally:
        apply.note_versions.write = real
    assert world.memories()[PROJECT]["content"] == "by hand"
    assert "changed by someone else meanwhile" in capsys.readouterr().out


def test_an_event_with_an_older_clock_appended_after_a_dream_is_still_dreamed(world: World) -> None:
    session = world.happened(prompt("new"))
    assert main([]) == 0
    world.happened(
        prompt("spooled long ago", timestamp="2020-01-01T00:00:00+00:00"), session=session
    )
    assert main([]) == 0
    assert "spooled long ago" in said(world.claude.requests[1])
    assert "[E1] 10:00 user:\n  new" not in said(world.claude.requests[1]).split("<sessions>")[0]


def test_an_unusable_answer_for_one_repository_does_not_hold_up_the_others(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.happened(prompt("bad one"), repository=world.repository("alpha"))
    world.happened(prompt(FOUND))

    def by_content(body: dict[str, Any]) -> Reply:
        return text("I would rather talk.") if "bad one" in said(body) else answer(dreamt(change()))

    world.claude.play(by_content)
    assert main([]) == 1
    told = capsys.readouterr()
    assert re.fullmatch(r"dream: alpha: Claude's answer could not be used, twice: .*\n", told.err)
    assert list(world.memories()) == [PROJECT]
    assert watermark(world) > 0
    assert sum("bad one" in said(request) for request in world.claude.requests) == 2
    [failed] = world.ask(
        "MATCH (d:Dream {person: $person, status: 'failed'}) RETURN d.error AS error, d.calls AS calls"
    )
    assert failed["calls"] == 2


def test_an_unusable_answer_is_repaired_once(world: World) -> None:
    world.happened(prompt(FOUND))
    world.claude.play(text('{"reasoning": "x", "changes": []'), answer(dreamt(change())))
    assert main([]) == 0
    assert "could not be used" in said(world.claude.requests[1])
    assert list(world.memories()) == [PROJECT]


def test_the_text_before_an_update_is_kept_byte_for_byte(world: World) -> None:
    world.happened(prompt(FOUND))
    world.claude.play(answer(dreamt(change())))
    assert main([]) == 0
    contents = [world.memories()[PROJECT]["content"]]
    for number in range(2):
        world.happened(prompt(f"more {number}"))
        world.claude.play(answer(dreamt(update(world, f"{FOUND}\n\nMore {number}."))))
        assert main([]) == 0
        contents.append(world.memories()[PROJECT]["content"])
    [row] = world.ask(
        "MATCH path = (m:Memory {owner: $person})-[:PREVIOUS*]->(v:MemoryVersion) WHERE NOT (v)-[:PREVIOUS]->() "
        "RETURN [n IN nodes(path) | n.content] AS contents, [n IN nodes(path) | n.version] AS versions"
    )
    assert row["contents"] == contents[::-1]
    assert row["versions"] == [3, 2, 1]
    assert len(set(contents)) == 3


@pytest.mark.parametrize(
    ("expires", "kept"), [("2999-01-01", {"expires": "2999-01-01"}), ("2026-11-29", {})]
)
def test_an_update_keeps_the_keys_a_person_added_but_for_an_expiry_gone_by_and_the_evidence(
    world: World, expires: str, kept: dict[str, str]
) -> None:
    first = world.happened(prompt(FOUND))
    world.claude.play(answer(dreamt(change())))
    assert main([]) == 0
    note = note_file.parse(world.memories()[PROJECT]["content"])
    by_hand = note_file.serialise(
        note_file.Note(**{**vars(note), "extra": {"ticket": "B-1", "expires": expires}})
    )
    world.ask("MATCH (m:Memory {owner: $person}) SET m.content = $content", content=by_hand)
    second = world.happened(prompt("more"))
    world.claude.play(answer(dreamt(update(world, FOUND + " More."))))
    assert main([]) == 0
    note = note_file.parse(world.memories()[PROJECT]["content"])
    assert note.extra == {"ticket": "B-1"} | kept
    assert [item["session"] for item in note.evidence] == [first, second]


def test_a_note_that_was_disproved_is_retired_and_its_path_can_be_used_again(world: World) -> None:
    world.happened(prompt(FOUND))
    world.claude.play(answer(dreamt(change())))
    assert main([]) == 0
    content = world.memories()[PROJECT]["content"]
    world.happened(prompt("that was wrong"))
    world.claude.play(answer(dreamt(change(action="supersede", read_version=1, body=""))))
    assert main([]) == 0
    assert world.memories()[PROJECT]["status"] == "superseded"
    assert [
        row["c"]
        for row in world.ask("MATCH (v:MemoryVersion {owner: $person}) RETURN v.content AS c")
    ] == [content]
    world.happened(prompt("it is so after all"))
    world.claude.play(answer(dreamt(change(body="So it is."))))
    assert main([]) == 0
    assert PROJECT not in said(world.claude.requests[0]).split("<sessions>")[0]
    assert (world.memories()[PROJECT]["status"], world.memories()[PROJECT]["version"]) == (
        "current",
        3,
    )


def test_an_update_that_would_lose_facts_without_a_contradiction_is_only_proposed(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.happened(prompt(FOUND))
    world.claude.play(answer(dreamt(change(body="A fact to keep. " * 40))))
    assert main([]) == 0
    world.happened(prompt("more"))
    world.claude.play(answer(dreamt(update(world, "Short."))))
    assert main([]) == 0
    assert "it would drop, without a contradiction: 'A fact to keep.'" in capsys.readouterr().out
    assert world.memories()[PROJECT]["version"] == 1


def test_the_same_lesson_dreamed_again_leaves_one_note(world: World) -> None:
    for _ in range(3):
        world.happened(prompt(FOUND))
        shown = world.memories().get(PROJECT)
        world.claude.play(answer(dreamt(update(world, FOUND) if shown else change())))
        assert main([]) == 0
    assert list(world.memories()) == [PROJECT]


# Every session is accounted for


def test_a_session_the_answer_forgot_is_offered_again_with_the_next_events(world: World) -> None:
    world.happened(prompt("remembered"))
    world.happened(prompt("forgotten"))
    world.claude.play(answer(nothing("S1")))
    assert main([]) == 0
    world.happened(prompt("later"))
    world.claude.play(answer(nothing("S1", "S2")))
    assert main([]) == 0
    told = said(world.claude.requests[0])
    assert "forgotten" in told
    assert "later" in told
    assert "remembered" not in told
    world.happened(prompt("last"))
    world.claude.play(answer(nothing("S1")))
    assert main([]) == 0
    assert "forgotten" not in said(world.claude.requests[0])


def test_a_session_is_not_offered_for_ever(world: World) -> None:
    world.happened(prompt("never settled"))
    world.claude.play(
        answer(dreamt(sessions=[{"session": "S1", "outcome": "deferred", "why": "unclear"}]))
    )
    for number in range(5):
        assert main([]) == 0
        world.happened(prompt(f"next {number}"))
    told = [said(request) for request in world.claude.requests]
    assert sum("never settled" in one for one in told) == collect.TIMES


def test_a_session_whose_change_was_dropped_is_offered_again(world: World) -> None:
    world.happened(prompt(FOUND))
    world.claude.play(answer(dreamt(change(path="../escape.md"))))
    assert main([]) == 0
    world.happened(prompt("later"))
    assert main([]) == 0
    assert FOUND in said(world.claude.requests[1])


@pytest.mark.parametrize(("path", "read_version"), [(PROJECT, 1), ("project/new.md", 0)])
def test_two_writers_of_one_version_make_one_new_version(
    world: World, path: str, read_version: int
) -> None:
    world.happened(prompt(FOUND))
    world.claude.play(answer(dreamt(change())))
    assert main([]) == 0
    note = note_file.parse(world.memories()[PROJECT]["content"])
    version = Version(
        f"repo:{world.repository()}", path, note, world.person, world.repository(), read_version
    )

    def write() -> int | None:
        with world.driver.session() as session:
            return session.execute_write(note_versions.write, version, "2026-11-29T12:00:00+00:00")

    with ThreadPoolExecutor(2) as pool, world.driver.session() as session:
        with session.begin_transaction() as first:
            assert (
                note_versions.write(first, version, "2026-11-29T12:00:00+00:00") == read_version + 1
            )  # type: ignore[arg-type]
            second = pool.submit(write)
            while not second.done() and not world.ask(WAITING):
                continue
            first.commit()
        assert second.result() is None
    assert world.memories()[path]["version"] == read_version + 1
