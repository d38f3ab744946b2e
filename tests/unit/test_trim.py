"""What is kept of long texts, and what never comes back."""

from dreamhook.record.trim import LIMIT, trim


def test_a_long_result_keeps_head_and_tail_and_its_length():
    text = "head" + "x" * 100_000 + "tail"
    kept = trim({"tool_response": text})
    assert kept["tool_response"].startswith("head")
    assert kept["tool_response"].endswith("tail")
    assert kept["tool_response_length"] == len(text)
    assert len(kept["tool_response"]) < LIMIT + 100


def test_short_values_stay_as_they_are():
    assert trim({"prompt": "hi", "failed": True, "duration_ms": 3.5}) == {
        "prompt": "hi",
        "failed": True,
        "duration_ms": 3.5,
    }


def test_what_recall_injected_is_not_stored_as_somebodys_words():
    block = "<dreamhook-memory>\nRecorded …\n## project/a.md\nsecret plan\n</dreamhook-memory>\n\n"
    assert trim({"prompt": block + "what next?"})["prompt"] == "what next?"


def test_an_injected_block_that_was_cut_off_is_removed_to_the_end():
    assert trim({"message": "before <dreamhook-memory>\nnotes without an end"})["message"] == "before "
