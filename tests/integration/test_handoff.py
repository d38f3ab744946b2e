"""Which sessions a handoff finds in the store, and which of their events, however much else happened."""

import json

import pytest

from cypher import mapped
from dreamhook import config
from dreamhook.recall import handoff as handoffs
from dreamhook.recall.handoff import handoff, told
from dreamhook.recall.scopes import Scopes, permitted
from dreamhook.recall.search import Conversation
from dreamhook.record.drain import drain_round, turn
from dreamhook.spool import writer

pytestmark = pytest.mark.neo4j


def asked(text):
    return {"event_name": "UserPromptSubmit", "prompt": text}


def answered(text):
    return {"event_name": "Stop", "assistant_text": text}


def used(tool, **given):
    return {
        "event_name": "PostToolUse",
        "tool_name": tool,
        "tool_input": json.dumps(given),
        "failed": False,
    }


def worked(times, number=0):
    """Two events each, as a harness with both hooks records them."""
    before = {"event_name": "PreToolUse", "tool_name": "Bash", "tool_input": "{}"}
    return [before, used("Bash", command=f"make {number}")] * times


BEGUN, ENDED = {"event_name": "SessionStart", "source": "startup"}, {"event_name": "SessionEnd"}


@pytest.fixture
def found(world):
    """What is handed to a new session of this person, in this repository or another."""

    def look(repository="", not_this="new"):
        scopes = Scopes((f"repo:{repository or world.repository()}",), world.person)
        return handoff(world.driver, scopes, Conversation("cursor", not_this))

    return look


def dream_saw(world, **of_events):
    """Move the watermark to the latest event that has these properties."""
    world.ask(
        "MATCH (e:Event {person: $person}) WHERE all(key IN keys($these) WHERE e[key] = $these[key]) "
        "WITH e.repository AS repository, max(e.seq) AS seq "
        "MERGE (w:Watermark {person: $person, repository: repository}) SET w.seq = seq",
        these=of_events,
    )


def test_a_long_session_is_told_from_its_prompt_to_its_answer(world, found):
    world.happened(asked("an older request"), answered("an older answer"), session="long")
    world.happened(asked("rename it all"), *worked(450), used("Edit", file_path="a.py"), answered("all renamed"),
                   session="long")  # fmt: skip
    [one] = found()
    assert (one.prompts, one.answer, [*one.files]) == (
        ["an older request", "rename it all"],
        "all renamed",
        ["a.py"],
    )
    assert not one.open


def test_of_many_prompts_the_latest_three_are_told(world, found):
    world.happened(*(asked(f"request {number}") for number in range(9)))
    assert found()[0].prompts == ["request 6", "request 7", "request 8"]


@pytest.mark.parametrize(
    "other", [{"session": "new"}, {"session": "parallel"}, {"session": "new/a1", "parent": "new"}]
)
def test_no_session_is_hidden_by_the_many_events_of_another(world, found, other):
    world.happened(asked("move the loop"), answered("moved"), session="done")
    world.happened(asked("the other one's request"), *worked(500), **other)
    assert [one.answer for one in found() if one.session_id != "parallel"] == ["moved"]


def test_a_session_whose_subagents_still_work_is_found_by_them(world, found, monkeypatch):
    monkeypatch.setattr(handoffs, "LOOKED_AT", 50)
    world.happened(asked("ask three agents"), session="main")
    for number in range(3):
        world.happened(*worked(30), session=f"main/a{number}", parent="main")
    [one] = found()
    assert (one.session_id, one.prompts, one.open) == ("main", ["ask three agents"], True)


def test_an_answer_is_told_with_its_prompt_though_a_dream_saw_that(world, found):
    world.happened(asked("first"), answered("one"), asked("second"), answered("two"), session="s")
    world.happened(asked("move the loop"), session="s")
    dream_saw(world, prompt="move the loop")
    world.happened(used("Edit", file_path="loop.py"), answered("moved"), session="s")
    [one] = found()
    assert (one.prompts, one.answer, [*one.files]) == (["move the loop"], "moved", ["loop.py"])
    dream_saw(world)
    world.happened(ENDED, session="s")
    assert found() == []


def test_a_prompt_since_the_dream_leaves_out_those_before_it(world, found):
    world.happened(asked("seen"), session="s")
    dream_saw(world)
    world.happened(asked("not seen"), session="s")
    assert found()[0].prompts == ["not seen"]


def test_a_prompt_that_nobody_typed_is_not_the_latest(world, found):
    world.happened(
        asked("poll the build"), asked("wake up") | {"source": "loop_wakeup"}, *worked(2)
    )
    assert found()[0].prompts == ["poll the build"]


def test_a_session_without_a_prompt_is_told_by_what_it_did(world, found):
    """Cursor's `-p` sends none."""
    world.happened(
        BEGUN,
        used("Write", file_path="a.py"),
        {"event_name": "AssistantMessage", "assistant_text": "made"},
    )
    [one] = found()
    assert (one.prompts, one.answer, [*one.files], one.open) == ([], "made", ["a.py"], False)


def test_sessions_in_which_nothing_happened_take_no_place(world, found):
    for number in range(4):
        world.happened(asked(f"request {number}"), session=f"busy-{number}")
    for number in range(9):
        world.happened(BEGUN, ENDED, session=f"idle-{number}")
    assert [one.session_id for one in found()] == ["busy-3", "busy-2", "busy-1"]


def test_what_a_session_did_in_another_repository_is_told_there_alone(world, found):
    elsewhere = world.repository("elsewhere")
    world.happened(asked("here"), used("Edit", file_path="here.py"), session="moving")
    world.happened(
        asked("there"), used("Edit", file_path="there.py"), session="moving", repository=elsewhere
    )
    assert [(one.prompts, [*one.files]) for one in found()] == [(["here"], ["here.py"])]
    assert [(one.prompts, [*one.files]) for one in found(elsewhere)] == [(["there"], ["there.py"])]


@pytest.mark.parametrize("structure", [True, False])
def test_each_file_of_a_large_patch_is_told(world, found, structure):
    paths = [f'src/größe "{number}".py' for number in range(12)]
    lines = "+x\n" * 900 + "+*** Update File: only-written-about.md\n *** Add File: context.md\n"
    patch = (
        "*** Begin Patch\n"
        + "".join(f"*** Update File: {path}\n@@\n{lines}" for path in paths)
        + "*** End Patch"
    )
    text = json.dumps({"command": patch}, ensure_ascii=False) if structure else patch
    world.happened(asked("go"), used("apply_patch") | {"tool_input": text})
    [one] = found()
    assert [*one.files] == paths
    assert "+4 more" in told([one])


@pytest.mark.parametrize("tool", ["Write", "MultiEdit", "NotebookEdit"])
def test_the_file_of_a_large_edit_is_told_wherever_its_name_stands(world, found, tool):
    key = "notebook_path" if tool == "NotebookEdit" else "file_path"
    world.happened(asked("go"), used(tool, **{key: "first.py", "content": "x\n" * 3_000}),
                   used(tool, **{"content": "x\n" * 3_000, key: "last.py"}))  # fmt: skip
    assert [*found()[0].files] == ["first.py", "last.py"]


def test_a_large_command_that_failed_is_told(world, found):
    failure = used("Bash", command="cat > a <<EOF\n" + "x\n" * 4_000 + "EOF") | {"failed": True}
    world.happened(asked("go"), failure)
    assert found()[0].failed[0].startswith("cat > a <<EOF\nx\nx")


@pytest.mark.parametrize(
    ("status", "is_open"), [("aborted", True), ("error", True), ("completed", False)]
)
def test_cursor_s_request_that_was_stopped_after_a_message_is_unfinished(
    graph, project, configured_home, status, is_open
):
    base = {
        "conversation_id": "c1",
        "generation_id": "g",
        "cursor_version": "3",
        "workspace_roots": [str(project)],
    }
    for event in (
        {"hook_event_name": "beforeSubmitPrompt", "prompt": "move the loop"},
        {"hook_event_name": "afterAgentResponse", "text": "I begin with the tests."},
        {"hook_event_name": "stop", "status": status},
    ):
        writer.put(json.dumps(base | event).encode(), "cursor")
        with turn():
            drain_round(graph, config.load())
    [one] = handoff(
        graph, permitted(config.load(), str(project)), Conversation("claude_code", "new")
    )
    assert (one.prompts, one.open) == (["move the loop"], is_open)


def test_what_no_dream_has_seen_costs_no_more_however_much_it_is(world):
    """Counted as the store counts: reads of records, which do not depend on the machine."""
    parameters = {
        "person": world.person, "repository": world.repository(), "not_this": "new", "looked_at": 100,
        "sessions": 3, "prompts": 3, "events": 20, "head": 2000, "tail": 500,
    }  # fmt: skip

    def reads():
        _, summary, _ = world.driver.execute_query(
            "PROFILE " + mapped("recall_handoff"), p=parameters
        )
        return _hits(summary.profile)

    def more(sessions):
        for _ in range(sessions):
            world.happened(asked("go"), *worked(60))

    more(2)
    few = reads()
    more(30)
    assert few * 0.9 < reads() < few * 1.1


def _hits(plan):
    return plan.get("dbHits", 0) + sum(map(_hits, plan.get("children", [])))
