import pytest

from dream.answer import Unusable, read


def test_an_answer_is_read_with_its_sessions_and_changes() -> None:
    session = '{"session": "S1", "outcome": "used", "why": "a\\nb"}'
    answer = read(f'{{"reasoning": "r", "sessions": [{session}], "changes": [{{"path": "p"}}]}}')
    assert answer.reasoning == "r"
    assert answer.outcomes == {"S1": ("used", "a b")}
    assert answer.changes == [{"path": "p"}]


def test_a_code_fence_around_the_answer_is_forgiven() -> None:
    assert read('```json\n{"sessions": [], "changes": []}\n```').changes == []


def test_words_around_the_answer_are_forgiven() -> None:
    text = 'I looked at {both}.\n\n{"sessions": [], "changes": [{"path": "p {x}"}]}\n\nThat is all {really}.'
    assert read(text).changes == [{"path": "p {x}"}]


def test_an_unknown_outcome_counts_as_deferred() -> None:
    answer = read('{"sessions": [{"session": "S1", "outcome": "maybe"}], "changes": []}')
    assert answer.outcomes == {"S1": ("deferred", "")}


def test_entries_of_the_wrong_type_are_left_to_the_checks() -> None:
    answer = read('{"sessions": [1, null], "changes": ["x", 7]}')
    assert (answer.outcomes, answer.changes) == ({}, [{}, {}])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Sure!",
        "[]",
        "null",
        '"x"',
        "{",
        '{"sessions": []}',
        '{"changes": []}',
        '{"sessions": {}, "changes": []}',
        "[" * 100_000,
    ],
)
def test_what_is_no_answer_is_unusable(text: str) -> None:
    with pytest.raises(Unusable):
        read(text)
