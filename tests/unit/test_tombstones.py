"""A forgotten text is known again by its hash alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamhook.forget import tombstones
from dreamhook.forget.tombstones import Forgotten, without

KEY = b"k" * 32


def forgotten(*texts, key=KEY):
    hashes = {}
    for text in texts:
        stone = tombstones.of(text, key)
        hashes.setdefault(stone["words"], set()).add(stone["text_hash"])
    return Forgotten({words: frozenset(found) for words, found in hashes.items()}, KEY)


@pytest.mark.parametrize(
    "text",
    [
        "The Swan contract",
        "… the swan,\ncontract!",
        "**The** `Swan` contract",
        "we say: the swan contract ends",
    ],
)
def test_a_text_is_found_in_any_case_and_layout(text):
    left = without(forgotten("another thing", "the swan contract"), text)
    assert "[forgotten]" in left
    assert "wan" not in left


@pytest.mark.parametrize(
    "text", ["", "the swan", "the swan contracts", "contract the swan", "swan contract the"]
)
def test_other_words_are_not_it(text):
    assert without(forgotten("the swan contract"), text) == text


def test_another_installations_key_tests_no_guesses():
    assert (
        without(forgotten("the swan contract", key=b"x" * 32), "the swan contract")
        == "the swan contract"
    )


def test_only_the_passage_goes_and_of_two_the_longer():
    known = forgotten("the swan contract", "the swan contract of 2026", "contract of love")
    assert without(known, "a (The swan contract of 2026!) b") == "a ([forgotten]!) b"
    assert without(known, "the swan contract of love") == "[forgotten] of love"
    assert without(known, "x the swan contract the swan contract") == "x [forgotten] [forgotten]"


def test_nothing_of_the_text_is_kept_and_short_texts_are_not_remembered():
    stone = tombstones.of("swan contract", KEY)
    assert set(stone) == {"text_hash", "words"}
    assert "swan" not in str(stone)
    assert tombstones.of("a b!", KEY) is None


@given(st.text(), st.text(), st.text())
def test_a_text_is_found_between_any_others(before, text, after):
    if tombstones.of(text, KEY):
        assert "[forgotten]" in without(forgotten(text), f"{before}\n{text}\n{after}")
