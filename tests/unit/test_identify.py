"""Which captures are the same event, and which are not."""

from dreamhook.record.identify import identify

SECOND = 1_000_000_000
PROMPT = {
    "session_id": "s",
    "prompt": "yes",
    "prompt_id": "p1",
    "hook_event_name": "UserPromptSubmit",
}
EVENT = {
    "client": "claude_code",
    "session_id": "s",
    "event_name": "UserPromptSubmit",
    "turn_id": "p1",
}
START = {"session_id": "s", "source": "resume", "hook_event_name": "SessionStart"}
START_EVENT = {"client": "claude_code", "session_id": "s", "event_name": "SessionStart"}


def test_one_prompt_reported_by_two_registrations_has_one_id_whenever_they_run():
    first, _ = identify(EVENT, PROMPT, 5 * SECOND)
    second, _ = identify(EVENT, dict(reversed(PROMPT.items())), 500 * SECOND)
    assert first == second


def test_the_same_words_in_two_turns_are_two_events():
    again = PROMPT | {"prompt_id": "p2"}
    assert identify(EVENT, PROMPT, 0)[0] != identify(EVENT | {"turn_id": "p2"}, again, 0)[0]


def test_twins_without_an_id_of_their_own_meet_across_a_slot_border():
    first, _ = identify(START_EVENT, START, 7 * SECOND - 1)
    second, twins = identify(START_EVENT, START, 7 * SECOND)
    assert first != second
    assert first in twins


def test_a_session_resumed_twice_is_two_events():
    first, _ = identify(START_EVENT, START, 0)
    second, twins = identify(START_EVENT, START, 60 * SECOND)
    assert first != second
    assert first not in twins


def test_a_replay_of_the_same_file_has_the_same_id():
    assert identify(START_EVENT, START, 42) == identify(START_EVENT, START, 42)


def test_the_bridge_that_renames_an_event_does_not_change_its_id():
    event = EVENT | {"client": "cursor"}
    renamed = PROMPT | {"hook_event_name": "beforeSubmitPrompt"}
    assert identify(event, PROMPT, 0) == identify(event, renamed, 0)
