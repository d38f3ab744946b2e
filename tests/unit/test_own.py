"""The dream's own sessions are known without any variable."""

import json
from pathlib import Path

import pytest

from dream import request
from dream.collect import Chunk, Unit
from dream.context_notes import Known
from dreamhook.harness import claude_code, codex, cursor
from dreamhook.hook import consent
from dreamhook.record.own import dream_folder, is_dreams_own

ASKED = {
    "claude_code": "UserPromptSubmit",
    "codex": "UserPromptSubmit",
    "cursor": "beforeSubmitPrompt",
}


def prompts():
    """What a model is asked: the instructions, and the data with and without them in front."""
    built = request.build(
        Chunk(Unit("ada", "r", "r", None)), Known({}, []), model="m", today="2026-11-29", scrub=str
    )
    [system] = [part["text"] for part in built["system"]]
    data = built["messages"][0]["content"][0]["text"]
    return {"system": system, "data": data, "both": f"{system}\n\n{data}"}


@pytest.mark.parametrize("harness", [claude_code, codex, cursor])
@pytest.mark.parametrize("what", ["system", "data", "both"])
def test_a_session_that_is_asked_to_dream_is_the_dreams_own(harness, what):
    payload = {
        "hook_event_name": ASKED[harness.CLIENT],
        "session_id": "s",
        "prompt": prompts()[what],
    }
    assert is_dreams_own(harness.normalise(payload))


@pytest.mark.parametrize("what", ["system", "data", "both"])
def test_the_hook_knows_the_instructions_before_anything_is_written(what, home):
    for separators in ((",", ":"), None):
        payload = {"session_id": "s", "prompt": prompts()[what]}
        assert consent.unwanted(json.dumps(payload, separators=separators).encode())


def test_everything_in_the_dreams_folder_is_its_own(home):
    folder = dream_folder()
    assert Path(folder).stat().st_mode & 0o077 == 0
    for name in ("SessionStart", "Stop", "PostToolUse", "Other"):
        assert is_dreams_own(
            claude_code.normalise(
                {"hook_event_name": name, "session_id": "s", "cwd": folder + "/x"}
            )
        )
    assert not is_dreams_own(
        claude_code.normalise({"hook_event_name": "Stop", "cwd": folder + "-not"})
    )


def test_who_works_on_these_prompts_is_recorded_all_the_same(home):
    text = prompts()["system"]
    read = {
        "hook_event_name": "PostToolUse",
        "session_id": "s",
        "cwd": "/src",
        "tool_response": {"file": text},
    }
    asked = {
        "hook_event_name": "UserPromptSubmit",
        "session_id": "s",
        "cwd": "/src",
        "prompt": f"shorten: {text}",
    }
    for payload in (read, asked):
        assert not is_dreams_own(claude_code.normalise(payload))
        assert not consent.unwanted(json.dumps(payload).encode())
