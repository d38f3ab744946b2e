from typing import Any

import pytest

from dream import request, transcript
from dreamhook.event import EVENT_NAMES
from dreamhook.hook import consent


def told(name: str, **properties: Any) -> tuple[str, str] | None:
    return transcript.tell({"event_name": name, **properties})


def test_what_the_user_typed_is_told_as_theirs() -> None:
    assert told("UserPromptSubmit", prompt="Use tabs.") == ("user", "Use tabs.")


@pytest.mark.parametrize(
    "more", [{"source": "subagent"}, {"agent_id": "a1"}, {"parent_session_id": "s1"}]
)
def test_what_a_program_prompted_is_not_told_as_the_users(more: dict[str, str]) -> None:
    event = {"event_name": "UserPromptSubmit", "prompt": "Review this.", **more}
    assert transcript.tell(event) == ("prompt (subagent)", "Review this.")
    assert not transcript.is_own_words(event)


@pytest.mark.parametrize("name", ["Stop", "SubagentStop", "AssistantMessage"])
def test_a_final_answer_is_told(name: str) -> None:
    assert told(name, assistant_text="It was the cache.") == ("agent", "It was the cache.")


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("PostToolUseFailure", {"error": "no rule"}),
        ("PostToolUse", {"tool_response": "no rule", "failed": True}),
        ("PostToolUse", {"tool_response": "no rule", "exit_status": 2}),
    ],
)
def test_a_failing_command_is_told_with_its_output(name: str, more: dict[str, Any]) -> None:
    who, what = told(name, tool_name="Bash", tool_input="make", **more) or ("", "")
    assert who.startswith("tool Bash FAILED")
    assert what == "make\n→ no rule"


def test_a_command_that_worked_is_told_with_head_and_tail_of_its_output() -> None:
    _, what = told(
        "PostToolUse", tool_name="Bash", tool_input="ls", tool_response="A" * 5_000 + "Z" * 5_000
    ) or (
        "",
        "",
    )
    assert what.startswith("ls\n→ AAA")
    assert what.endswith("ZZZ")
    assert "[… 9500 characters left out …]" in what
    assert len(what) < transcript.OUTPUT + 60


def test_a_recorded_result_is_told_apart_from_what_anyone_says_of_it() -> None:
    outcome = {
        "outcome_kind": "test",
        "outcome_status": "failed",
        "outcome_passed": 3,
        "outcome_failed": 1,
    }
    _, what = told(
        "PostToolUse", tool_name="Bash", tool_input="pytest", tool_response="…", **outcome
    ) or ("", "")
    assert what.endswith("\nrecorded result: test failed (3 passed, 1 failed)")
    event = {"event_name": "PostToolUse", "tool_name": "Bash", **outcome}
    assert transcript.who(event) == "result"
    assert transcript.who(event | {"outcome_status": "unknown"}) == "tool"


@pytest.mark.parametrize("tool", ["Read", "Grep", "mcp__dreamhook__search"])
def test_what_was_only_looked_up_is_told_without_its_output(tool: str) -> None:
    assert told("PostToolUse", tool_name=tool, tool_input="x.py", tool_response="contents") == (
        f"tool {tool}",
        "x.py",
    )


@pytest.mark.parametrize(
    "name", ["SessionStart", "PreToolUse", "Notification", "Other", "UserPromptSubmit", "Stop"]
)
def test_an_event_without_news_is_not_told(name: str) -> None:
    assert told(name) is None


def test_recalled_memory_is_not_told() -> None:
    block = "<dreamhook-memory>\nold\n</dreamhook-memory>\n"
    assert told("UserPromptSubmit", prompt=f"{block}new") == ("user", "new")
    assert told("UserPromptSubmit", prompt=block) is None


def test_a_recorded_dream_is_not_told() -> None:
    assert request.prompt("input").startswith(transcript.OWN_PROMPT)
    assert told("UserPromptSubmit", prompt=request.prompt("input")) is None


def test_a_dream_begins_as_the_hooks_expect_that_leave_it_out() -> None:
    assert transcript.OWN_PROMPT.encode() in consent.DREAM_PROMPTS


def test_every_event_that_can_be_told_is_looked_for() -> None:
    full = dict.fromkeys(("prompt", "assistant_text", "message", "tool_name", "tool_input"), "x")
    assert {name for name in EVENT_NAMES if told(name, **full)} == set(transcript.TOLD)
