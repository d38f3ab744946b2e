"""What config.toml says of capture and repositories: defaults, and one clear line for a mistake."""

import pytest

from dreamhook import config
from dreamhook.config import ConfigError


def test_without_a_file_checkouts_are_taken_at_their_word_and_nothing_is_excluded(home):
    found = config.load()
    assert (found.repositories, found.exclude, found.output_characters) == ("auto", (), 20_000)


def test_what_the_file_says_counts(home):
    (home / "config.toml").write_text(
        '[repositories]\npolicy = "strict"\n[capture]\nexclude = ["~/private/**"]\noutput_characters = 4000\n'
    )
    found = config.load()
    assert (found.repositories, found.exclude, found.output_characters) == (
        "strict",
        ("~/private/**",),
        4_000,
    )


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('[repositories]\npolicy = "lax"', "policy"),
        ("[repositories]\npolicy = true", "policy"),
        ('[capture]\nexclude = "~/private"', "exclude"),
        ("[capture]\nexclude = [7]", "exclude"),
        ('[capture]\nexclude = [" "]', "exclude"),
        ("[capture]\noutput_characters = 3", "output_characters"),
        ('[capture]\noutput_characters = "many"', "output_characters"),
    ],
)
def test_a_mistake_is_named_by_its_key(text, key, home):
    (home / "config.toml").write_text(text)
    with pytest.raises(ConfigError, match=key):
        config.load()
