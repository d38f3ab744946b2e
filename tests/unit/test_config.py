"""config.toml: what it says counts, a mistake is named in one line, and every list of settings is the table's."""

import pwd
import re
import tomllib
from pathlib import Path

import pytest

from dreamhook import config
from dreamhook.config import SETTINGS, Config, ConfigError
from dreamhook.install import config_file

README = Path(__file__).parents[2] / "README.md"


def test_without_a_file_checkouts_are_taken_at_their_word_and_nothing_is_excluded(home):
    found = config.load()
    assert (found.repositories, found.exclude, found.output_characters) == ("auto", (), 20_000)


def test_what_the_file_says_counts(home):
    (home / "config.toml").write_text(
        '[repositories]\npolicy = "strict"\n[capture]\nexclude = ["~/private/**"]\noutput_characters = 4000\n'
        "[dream]\nidle_minutes = 1.5\n[worker]\nidle_minutes = 7\n"
    )
    found = config.load()
    assert (found.repositories, found.exclude, found.output_characters) == (
        "strict",
        ("~/private/**",),
        4_000,
    )
    assert (found.dream.idle_minutes, found.idle_minutes) == (1.5, 7)


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
        ("[spool]\nmax_mb = true", "max_mb is a whole number of at least 0"),
        ("[spool]\nmax_mb = 1.5", "max_mb is a whole number"),
        ("[worker]\nidle_minutes = -1", "idle_minutes is a number of at least 0"),
        ("[worker]\nidle_minutes = nan", "idle_minutes is a number of at least 0"),
        ("[recall]\nsemantic = 1", "semantic is true or false"),
        ("[identity]\nperson = 7", "person is a text in quotes"),
        ('[dream]\nbackend = "gpt"', 'backend is one of "auto", "api", "batch", "claude"'),
        ('[capture]\nexlude = ["a"]', "has no exlude; its settings are exclude, output_characters"),
        ('[captures]\nexclude = ["a"]', r"there is no \[captures\]; the sections are identity, "),
        ('exclude = ["a"]', r"there is no \[exclude\]; the sections are"),
        ("capture = true", "capture is a section"),
    ],
)
def test_a_mistake_is_named_by_file_key_and_what_is_allowed(text, key, home):
    (home / "config.toml").write_text(text)
    with pytest.raises(ConfigError, match=key) as raised:
        config.load()
    assert str(raised.value).startswith(f"{home}/config.toml: ")
    assert "\n" not in str(raised.value)


def test_an_empty_text_counts_as_not_written(home):
    (home / "config.toml").write_text('[identity]\nperson = ""\nworkspace = ""\n')
    found = config.load()
    assert (found.person, found.workspace) == (config.login_name(), None)


def test_a_user_without_a_name_in_the_system_is_known_by_user_or_number(home, monkeypatch):
    def unknown(_uid):
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    monkeypatch.setenv("USER", "ada")
    assert config.load().person == "ada"
    monkeypatch.delenv("USER")
    assert config.load().person.isdigit()


def test_the_written_file_shows_every_setting_and_says_what_holds_without_it(home):
    written = config_file.text({})
    (home / "config.toml").write_text(written)
    assert config.load() == Config()

    shown = tomllib.loads(re.sub(r"^# ([a-z_]+ = )", r"\1", written, flags=re.MULTILINE))
    assert {(section, key) for section, keys in shown.items() for key in keys} == {
        (setting.section, setting.key) for setting in SETTINGS
    }
    for setting in SETTINGS:
        assert setting.permits(shown[setting.section][setting.key])
        assert setting.sentence.split()[0] in written


def test_what_was_chosen_at_the_installation_is_written_and_counts(home):
    chosen = {"identity.person": 'a "b" \\', "neo4j.uri": "bolt://there", "recall.semantic": True}
    (home / "config.toml").write_text(config_file.text(chosen))
    found = config.load()
    assert (found.person, found.neo4j_uri, found.semantic) == ('a "b" \\', "bolt://there", True)


def test_readme_lists_the_settings_of_the_table():
    section = (
        README.read_text(encoding="utf-8").partition("\n## Settings\n")[2].partition("\n## ")[0]
    )
    lines = [line for line in section.splitlines() if line.startswith("|")]
    assert lines == list(config_file.readme_list()), (
        "python -m dreamhook.install.config_file prints it"
    )
