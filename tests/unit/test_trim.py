"""What is kept of long texts, and what never comes back."""

import json
from pathlib import Path

import pytest

from dreamhook.config import Config
from dreamhook.harness import claude_code
from dreamhook.record.trim import trim

LIMIT = Config.output_characters
RECORDED = Path(__file__).parents[1] / "payloads/claude_code/recorded"


def test_a_long_result_keeps_head_and_tail_and_its_length():
    text = "head" + "x" * 100_000 + "tail"
    kept = trim({"tool_response": text}, LIMIT)
    assert kept["tool_response"].startswith("head")
    assert kept["tool_response"].endswith("tail")
    assert kept["tool_response_length"] == len(text)
    assert len(kept["tool_response"]) < LIMIT + 100


def test_short_values_stay_as_they_are():
    assert trim({"prompt": "hi", "failed": True, "duration_ms": 3.5}, LIMIT) == {
        "prompt": "hi",
        "failed": True,
        "duration_ms": 3.5,
    }


def test_what_recall_injected_is_not_stored_as_somebodys_words():
    block = "<dreamhook-memory>\nRecorded …\n## project/a.md\nsecret plan\n</dreamhook-memory>\n\n"
    assert trim({"prompt": block + "what next?"}, LIMIT)["prompt"] == "what next?"


def test_an_injected_block_that_was_cut_off_is_removed_to_the_end():
    assert (
        trim({"message": "before <dreamhook-memory>\nnotes without an end"}, LIMIT)["message"]
        == "before "
    )


def edit(size):
    whole = "x" * size
    return {
        "tool_input": json.dumps({"file_path": "/a", "old_string": "a", "new_string": "b" * 300}),
        "tool_response": json.dumps(
            {
                "filePath": "/a",
                "oldString": "a",
                "newString": "b" * 300,
                "originalFile": whole,
                "structuredPatch": [{}],
            }
        ),
    }


def test_an_edit_is_kept_without_the_whole_file_it_was_made_in():
    small, large = (trim(edit(size), LIMIT) for size in (1_000, 100_000))
    kept = json.loads(large["tool_response"])
    assert kept["originalFile"] == "[100000 characters]"
    assert (kept["filePath"], kept["oldString"], kept["structuredPatch"]) == ("/a", "a", [{}])
    assert kept["newString"] == "[300 characters]"
    assert "b" * 300 in large["tool_input"]
    assert "tool_response_length" not in large
    assert abs(len(large["tool_response"]) - len(small["tool_response"])) < 5


def test_recorded_results_of_claude_code_lose_nothing_but_the_copies():
    changed = 0
    for file in sorted(RECORDED.glob("PostToolUse.*.json")):
        payload = json.loads(file.read_text(encoding="utf-8"))
        event = claude_code.normalise(payload)
        kept = trim(event, limit=1_000_000)["tool_response"]
        if kept != event["tool_response"]:
            before, after = payload["tool_response"], json.loads(kept)
            assert {key for key in before if after[key] != before[key]} == {"originalFile"}
            changed += 1
    assert changed


def test_the_limit_is_the_persons():
    assert len(trim({"tool_response": "x" * 9_000}, limit=1_000)["tool_response"]) < 1_100
    assert len(trim({"prompt": "x" * 9_000}, limit=1_000)["prompt"]) == 9_000


@pytest.mark.parametrize(
    "text", ["{", "[1]", '{"a":' * 3_000, "{}", '{"originalFile": 7}', "plain"]
)
def test_an_answer_of_another_shape_stays_as_it_is(text):
    assert trim({"tool_response": text}, LIMIT)["tool_response"] == text
    assert (
        trim({"tool_response": '{"a": 1}', "tool_input": text}, LIMIT)["tool_response"]
        == '{"a": 1}'
    )


def test_an_injected_block_is_known_in_json_escapes_too():
    block = "\\u003cdreamhook-memory\\u003e\\nsecret plan\\n\\u003c/dreamhook-memory\\u003e rest"
    assert trim({"tool_response": block}, LIMIT)["tool_response"] == "rest"
