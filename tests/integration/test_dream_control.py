"""The person is in control: dreams are listed, shown and taken back; what is doubtful is only proposed."""

import json
from typing import Any

import pytest

from dream.dream import main
from dreamhook.dreamed import summary as dreamed_summary
from dreamhook.forget import tombstones
from dreamhook.memory import note_file
from tests.dream_world import FOUND, PROJECT, World, change, dreamt, nothing, prompt, update
from tests.messages_stub import Reply, answer, said

pytestmark = pytest.mark.neo4j

SIZE = "MATCH (n) WHERE n:Memory OR n:MemoryVersion RETURN count(n) AS nodes, sum(size(n.content)) AS text"
LONG = "Retries run again. Logs are in /var/log/batch. The queue is named items. Restart with systemctl restart batch."


def dreamed(world: World, words: str, *changes: dict[str, Any]) -> str:
    """One dream over one new session; its id."""
    world.happened(prompt(words))
    world.claude.play(answer(dreamt(*changes)))
    assert main([]) == 0
    return str(
        world.ask(
            "MATCH (d:Dream {person: $person}) RETURN d.id AS id ORDER BY d.started_at DESC, d.to_seq DESC"
        )[0]["id"]
    )


def proposals(world: World) -> list[dict[str, Any]]:
    return [
        row["p"]
        for row in world.ask(
            "MATCH (p:Proposal {person: $person}) RETURN p {.*} AS p ORDER BY p.created_at"
        )
    ]


# Looking, and taking back


def test_dreams_are_listed_shown_and_compared(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    first = dreamed(world, FOUND, change())
    second = dreamed(world, "more", update(world, FOUND + "\n\nMore of it."))
    capsys.readouterr()
    assert main(["log"]) == 0
    listed = capsys.readouterr().out
    assert first in listed
    assert second in listed
    assert "1 call, 1,200 tokens in, 50 out, about $0.00" in listed
    assert main(["show", second]) == 0
    assert f"update {PROJECT}: version 1 → 2 (stated)" in capsys.readouterr().out
    assert main(["diff", second]) == 0
    assert "+More of it." in capsys.readouterr().out
    assert main(["log", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["dream"]["id"] for one in told["dreams"]] == [second, first]
    assert main(["show", "nowhere"]) == 1
    assert "no dream 'nowhere'" in capsys.readouterr().err


def test_undo_gives_every_note_of_a_dream_its_previous_bytes_back(world: World) -> None:
    dreamed(world, FOUND, change())
    before = world.memories()[PROJECT]["content"]
    second = dreamed(world, "more", update(world, FOUND + "\n\nMore."), change("project/new.md"))
    assert main(["undo", second]) == 0
    stored = world.memories()
    assert (stored[PROJECT]["content"], stored[PROJECT]["version"], stored[PROJECT]["status"]) == (
        before,
        3,
        "current",
    )
    assert stored["project/new.md"]["status"] == "superseded"
    [row] = world.ask("MATCH (d:Dream {id: $id}) RETURN d.undone_at AS at", id=second)
    assert row["at"]


def test_undo_leaves_a_note_that_was_changed_since_unless_forced(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    first = dreamed(world, FOUND, change(), change("project/new.md"))
    dreamed(world, "more", update(world, FOUND + "\n\nMore."))
    later = world.memories()[PROJECT]["content"]
    assert main(["undo", first]) == 1
    assert f"{PROJECT}: changed since (version 2), left as it is" in capsys.readouterr().err
    assert world.memories()[PROJECT]["content"] == later
    assert world.memories()["project/new.md"]["status"] == "superseded"
    assert main(["undo", first, "--force"]) == 0
    assert world.memories()[PROJECT]["status"] == "superseded"


# Only proposed


def test_a_change_that_drops_facts_waits_for_the_person_who_may_apply_it(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    dreamed(world, LONG, change(body=LONG))
    dreamed(world, "more", update(world, "Retries run again."))
    assert note_file.body(world.memories()[PROJECT]["content"]) == LONG
    assert "1 proposed" in (main(["log"]), capsys.readouterr().out)[1]
    assert main(["--review"]) == 0
    shown = capsys.readouterr().out
    assert "it would drop, without a contradiction: 'Logs are in /var/log/batch.'" in shown
    assert f"-{LONG}" in shown
    [one] = proposals(world)
    assert main(["review", "--apply", one["id"]]) == 0
    assert note_file.body(world.memories()[PROJECT]["content"]) == "Retries run again."
    assert world.memories()[PROJECT]["version"] == 2
    assert proposals(world)[0]["status"] == "applied"
    assert (main(["review"]), capsys.readouterr().out.splitlines()[-1])[
        1
    ] == "dream: nothing is proposed"


def test_a_proposal_may_be_refused(world: World) -> None:
    dreamed(world, LONG, change(body=LONG))
    dreamed(world, "more", update(world, "Retries run again."))
    assert main(["review", "--reject", "all"]) == 0
    assert note_file.body(world.memories()[PROJECT]["content"]) == LONG
    assert proposals(world)[0]["status"] == "rejected"


def test_a_proposal_is_not_applied_over_a_note_that_moved_on(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    dreamed(world, LONG, change(body=LONG))
    dreamed(world, "more", update(world, "Retries run again."))
    dreamed(world, "more", update(world, LONG + " And more."))
    assert main(["review", "--apply", "all"]) == 1
    assert "has changed since (version 2)" in capsys.readouterr().err
    assert note_file.body(world.memories()[PROJECT]["content"]) == LONG + " And more."


def test_a_proposal_that_rests_on_forgotten_events_is_not_applied(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    dreamed(world, LONG, change(body=LONG))
    dreamed(world, "more", update(world, "Retries run again."))
    world.ask("MATCH (e:Event {prompt: 'more'}) DETACH DELETE e")
    assert main(["review", "--apply", "all"]) == 1
    assert "part of what it rests on was forgotten; reject it" in capsys.readouterr().err
    assert note_file.body(world.memories()[PROJECT]["content"]) == LONG


def test_the_same_proposal_made_again_takes_the_place_of_the_first(world: World) -> None:
    dreamed(world, LONG, change(body=LONG))
    for _ in range(3):
        dreamed(world, "more", update(world, "Retries run again."))
    assert [one["status"] for one in proposals(world)] == ["replaced", "replaced", "open"]


def test_more_retirements_than_a_run_may_make_are_all_proposed(world: World) -> None:
    paths = [f"project/n{number}.md" for number in range(12)]
    dreamed(world, FOUND, *[change(path) for path in paths])
    gone = [change(path, action="supersede", read_version=1, body="") for path in paths[:4]]
    dreamed(world, "those are wrong", *gone)
    assert {row["status"] for row in world.memories().values()} == {"current"}
    assert len(proposals(world)) == 4
    assert "would retire 4 notes" in proposals(world)[0]["reason"]


def test_a_run_that_takes_away_a_fifth_of_all_text_is_only_proposed(world: World) -> None:
    paths = [f"project/n{number}.md" for number in range(7)]
    dreamed(world, FOUND, *[change(path) for path in paths])
    gone = [change(path, action="supersede", read_version=1, body="") for path in paths[:2]]
    dreamed(world, "those are wrong", *gone, change("project/more.md"))
    stored = world.memories()
    assert {row["status"] for row in stored.values()} == {"current"}
    assert "project/more.md" in stored
    assert [one["reason"] for one in proposals(world)] == [
        "this run would take away more than 20% of your notes"
    ] * 2


def test_a_note_is_not_retired_by_a_tools_word_alone(world: World) -> None:
    dreamed(world, FOUND, change())
    world.happened(
        {
            "event_name": "PostToolUse",
            "tool_name": "Bash",
            "tool_response": "batch-retries is obsolete",
        }
    )
    world.claude.play(answer(dreamt(change(action="supersede", read_version=1, body=""))))
    assert main([]) == 0
    assert world.memories()[PROJECT]["status"] == "current"
    assert proposals(world)[0]["reason"] == "it would retire a note, and not by your words"


@pytest.mark.parametrize(
    ("mark", "reason"), [("pinned", "the note is pinned"), ("edited_by_hand", "by hand")]
)
def test_a_note_the_person_holds_dear_is_proposed_to_and_rewritten_only_when_allowed(
    world: World, mark: str, reason: str
) -> None:
    dreamed(world, FOUND, change())
    world.ask("MATCH (m:Memory {owner: $person}) SET m += $marks", marks={mark: True})
    dreamed(world, "more", update(world, FOUND + " More."))
    assert note_file.body(world.memories()[PROJECT]["content"]) == FOUND
    assert reason in proposals(world)[0]["reason"]
    world.happened(prompt("more"))
    world.claude.play(answer(dreamt(update(world, FOUND + " More."))))
    assert main(["--allow-pinned"]) == 0
    assert note_file.body(world.memories()[PROJECT]["content"]) == FOUND + " More."


# What stays as it is


def test_the_same_lesson_again_adds_evidence_and_no_version(world: World) -> None:
    dreamed(world, FOUND, change())
    size = world.ask(
        "MATCH (n) WHERE n:Memory OR n:MemoryVersion RETURN count(n) AS nodes, sum(size(n.content)) AS text"
    )
    for _ in range(5):
        dreamed(world, FOUND, update(world, FOUND))
    assert world.memories()[PROJECT]["version"] == 1
    assert world.ask(SIZE) == size
    [row] = world.ask(
        "MATCH (m:Memory {owner: $person})-[:DERIVED_FROM]->(e) RETURN count(e) AS events"
    )
    assert row["events"] == 6


def test_what_was_forgotten_is_not_written_again(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    from dreamhook import paths
    from dreamhook.scrub.key import load_key

    key = load_key(paths.make_private(paths.config_dir()))
    tombstone = tombstones.of("process committed items", key)
    world.ask(
        "CREATE (:Tombstone {person: $person, text_hash: $h, words: $w})",
        h=tombstone["text_hash"],
        w=3,
    )  # type: ignore[index]
    dreamed(world, FOUND, change(), change("project/good.md", body="Skip what is done."))
    assert list(world.memories()) == ["project/good.md"]
    assert "it says what you had forgotten" in capsys.readouterr().out


def test_a_note_without_cues_gets_them_and_keeps_its_text_byte_for_byte(world: World) -> None:
    dreamed(world, FOUND, change())
    by_hand = "---\ntitle: Batch\nkind: fact\ndescription: d\nticket: B-1\n---\n\n  Odd   spacing.\r\n\n\tkept  \n\n"
    world.ask(
        "MATCH (m:Memory {owner: $person}) SET m.content = $c, m.cues = [], m.edited_by_hand = true",
        c=by_hand,
    )
    world.happened(prompt("something else"))

    def cued(body: dict[str, Any]) -> Reply:
        assert "has no cues yet" in said(body)
        cue = {
            "action": "cue",
            "path": PROJECT,
            "read_version": 1,
            "cues": ["batch twice", "retry"],
            "why": "none yet",
        }
        return answer(dreamt(cue, sessions=nothing("S1")["sessions"]))

    world.claude.play(cued)
    assert main([]) == 0
    stored = world.memories()[PROJECT]
    assert stored["cues"] == ["batch twice", "retry"]
    assert stored["content"].endswith("---\n\n  Odd   spacing.\r\n\n\tkept  \n\n")
    note = note_file.parse(stored["content"])
    assert (note.title, note.extra, note.cues) == (
        "Batch",
        {"ticket": "B-1"},
        ["batch twice", "retry"],
    )
    assert stored["edited_by_hand"]


# Growing and shrinking


def test_a_note_that_is_split_loses_nothing_so_nobody_is_asked(world: World) -> None:
    long = "Retries run again and must be idempotent. The logs of each batch lie in /var/log/batch."
    dreamed(world, long, change(body=long))
    kept = update(
        world, "Retries run again and must be idempotent. On logs: see project/batch-logs.md."
    )
    moved = change("project/batch-logs.md", body="The logs of each batch lie in /var/log/batch.")
    dreamed(world, "more", kept, moved)
    assert proposals(world) == []
    assert "/var/log" not in note_file.body(world.memories()[PROJECT]["content"])
    assert note_file.body(world.memories()["project/batch-logs.md"]["content"]) == moved["body"]


def test_a_note_may_move_to_a_better_name(world: World) -> None:
    dreamed(world, FOUND, change())
    world.happened(
        {"event_name": "Stop", "assistant_text": "The retries are about batches of items."}
    )
    gone = change(action="supersede", read_version=1, body="")
    world.claude.play(answer(dreamt(change("project/idempotent-retries.md"), gone)))
    assert main([]) == 0
    stored = world.memories()
    assert (stored[PROJECT]["status"], stored["project/idempotent-retries.md"]["status"]) == (
        "superseded",
        "current",
    )


def test_a_note_that_no_session_was_given_for_long_is_proposed_for_retirement_once(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    dreamed(world, FOUND, change(), change("project/used.md"), change("project/pinned.md"))
    world.ask(
        "MATCH (m:Memory {owner: $person}) SET m.updated_at = '2020-01-01', m.pinned = m.path = 'project/pinned.md' "
        "WITH m WHERE m.path = 'project/used.md' MATCH (s:Session) WITH m, s LIMIT 1 "
        "CREATE (s)-[:INJECTED {at: '2999-01-01', version: 1}]->(m)"
    )
    world.claude.play(answer(nothing("S1")))
    for number in range(2):
        world.happened(prompt(f"something else {number}"))
        assert main([]) == 0
    assert "1 notes that no session was given for long" in capsys.readouterr().out
    [one] = proposals(world)
    assert (one["path"], one["action"]) == (PROJECT, "retire")
    assert main(["review", "--reject", "all"]) == 0
    world.happened(prompt("again something else"))
    assert main([]) == 0
    assert [one["status"] for one in proposals(world)] == ["rejected"]
    assert world.memories()[PROJECT]["status"] == "current"


# How it stands


def test_the_status_of_dreams_tells_the_last_its_cost_and_what_waits_for_the_person(
    world: World,
) -> None:
    before = dreamed_summary(world.driver, world.person)
    assert (before["last"], before["tokens_today"], before["parked"]) == (None, 0, [])
    dreamed(world, LONG, change(body=LONG))
    last = dreamed(world, "more", update(world, "Retries run again."))
    told = dreamed_summary(world.driver, world.person)
    assert (told["last"]["id"], told["last"]["status"], told["last"]["tokens"]) == (
        last,
        "done",
        1250,
    )
    assert (told["tokens_today"], told["proposed"], told["in_batches"]) == (2500, 1, 0)
