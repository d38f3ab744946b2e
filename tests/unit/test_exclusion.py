"""What a rule covers, and that the hook's cheap test never misses what the exact one covers."""

import json
import os
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamhook.hook import cached_start, consent
from dreamhook.repository import exclusion
from dreamhook.repository.exclusion import concerns, gate_word, is_excluded

HOME_RULES = {
    "~/private/**": [
        "~/private",
        "~/private/a/b",
        "$HOME/private/x",
        "${HOME}/private",
        "file://{home}/private/x",
    ],
    "~/private": ["~/private/a/b", "{home}/./private//x", "{home}/other/../private/x"],
    "/srv/*/secret": ["/srv/a/secret", "/srv/a/secret/deep"],
    "/srv/**/secret": ["/srv/secret", "/srv/a/b/secret/x"],
    "**/.secrets/**": ["/any/where/.secrets/key", "/.secrets"],
    "*.sealed": ["/a/b/c.sealed", "~/x.sealed"],
    "vault": ["/a/vault/x", "~/vault"],
    "/data/v?": ["/data/v1/x"],
    "/": ["/anything"],
}
NOT_COVERED = {
    "~/private/**": ["~/private-not", "~/other", "/private/x"],
    "/srv/*/secret": ["/srv/secret", "/srv/a/b/secret", "/srv/a/secrets"],
    "**/.secrets/**": ["/a/secrets/x"],
    "*.sealed": ["/a/sealed", "/a/x.sealed.md"],
    "/data/v?": ["/data/v12/x", "/data/v/"],
}


def at(path):
    return path.replace("{home}", os.path.expanduser("~"))


@pytest.mark.parametrize(
    ("rule", "path"), [(rule, path) for rule, found in HOME_RULES.items() for path in found]
)
def test_a_rule_covers_a_path_and_what_is_beneath(rule, path):
    assert is_excluded(at(path), [rule])


@pytest.mark.parametrize(
    ("rule", "path"), [(rule, path) for rule, found in NOT_COVERED.items() for path in found]
)
def test_a_rule_covers_nothing_else(rule, path):
    assert not is_excluded(at(path), [rule])


def test_a_plain_path_is_no_pattern():
    assert is_excluded("/a/[b]*/c", ["=/a/[b]*"])
    assert not is_excluded("/a/bb", ["=/a/[b]*"])


def test_a_link_into_an_excluded_folder_is_excluded_and_so_is_where_an_excluded_link_leads(
    tmp_path, home
):
    (tmp_path / "vault").mkdir()
    (tmp_path / "door").symlink_to(tmp_path / "vault")
    assert is_excluded(f"{tmp_path}/door/x", [f"{tmp_path}/vault"])
    (home / "config.toml").write_text(f'[capture]\nexclude = ["{tmp_path}/door/**"]\n')
    assert is_excluded(f"{tmp_path}/vault/x", exclusion.rules())


ABOUT = [
    {"cwd": "/p/private/x"},
    {"workspace_roots": ["/elsewhere", "/p/private"]},
    {"cwd": "/p", "tool_input": {"file_path": "private/notes.txt"}},
    {"cwd": "/q", "tool_input": {"file_path": "/p/private/notes.txt"}},
    {"cwd": "/q", "tool_input": {"edits": [{"path": "/p/private/a"}]}},
    {"cwd": "/p", "tool_input": {"command": "cat <private/x | head"}},
    {"cwd": "/q", "tool_input": {"command": ["bash", "-lc", "ls '/p/private'"]}},
    {"cwd": "/q", "file_path": "/p/private/x", "content": "y"},
    {"cwd": "/q", "tool_input": {"input": "*** Begin Patch\n*** Update File: /p/private/x\n"}},
]
NOT_ABOUT = [
    {"cwd": "/p/privateer"},
    {"cwd": "/q", "prompt": "what is in /p/private/x?"},
    {"cwd": "/q", "tool_input": {"command": "echo private"}},
]


@pytest.mark.parametrize("payload", ABOUT)
def test_a_payload_is_about_the_folders_and_files_it_names(payload):
    assert concerns(payload, ["/p/private/**"])
    assert gate_word("/p/private/**") in json.dumps(payload).lower()


@pytest.mark.parametrize("payload", NOT_ABOUT)
def test_words_that_only_mention_a_path_are_kept(payload):
    assert not concerns(payload, ["/p/private/**"])


@pytest.mark.parametrize("payload", [b"{oops", b"[" * 20_000, b"\xff"])
def test_what_cannot_be_read_and_may_be_excluded_is_not_kept(payload):
    assert exclusion.covers(payload, "/q", ["/p/private"])


@given(
    st.lists(
        st.text(
            st.characters(exclude_characters="\0\n/~*?", exclude_categories=["Cs"]), min_size=1
        ),
        min_size=1,
    ),
    st.booleans(),
)
def test_the_hooks_cheap_test_finds_all_that_the_exact_one_covers(parts, ascii_only):
    path = "/" + "/".join(parts)
    payload = json.dumps({"cwd": path}, ensure_ascii=ascii_only).encode("utf-8", "replace")
    for rule in (path + "/**", exclusion.EXACT + path):
        if concerns(json.loads(payload), [rule]):
            assert gate_word(rule).encode() in payload.lower()


def test_a_changed_config_is_compiled_by_the_next_hook_and_only_then(home, monkeypatch):
    payload = b'{"cwd":"/p/private"}'
    assert not consent.unwanted(payload)
    (home / "config.toml").write_text('[capture]\nexclude = ["/p/private/**"]\n')
    assert consent.unwanted(payload)
    assert not consent.unwanted(b'{"cwd":"/p/public"}')

    def refuse():
        raise AssertionError("compiled again")

    monkeypatch.setattr(exclusion, "refresh", refuse)
    assert consent.unwanted(payload)
    monkeypatch.undo()
    (home / "config.toml").write_text("")
    assert not consent.unwanted(payload)


def test_answers_kept_from_before_a_change_of_settings_are_dropped(home):
    cached_start.write("/p", {"codex": b"PACK\n"})
    assert not consent.unwanted(b"{}")
    assert cached_start.read("codex", "/p")
    (home / "config.toml").write_text('[repositories]\npolicy = "strict"\n')
    assert not consent.unwanted(b"{}")
    assert not cached_start.read("codex", "/p")


def test_a_config_with_a_mistake_keeps_what_was_excluded(home):
    (home / "config.toml").write_text('[capture]\nexclude = ["/p/private/**"]\n')
    assert consent.unwanted(b'{"cwd":"/p/private"}')
    (home / "config.toml").write_text('[capture]\nexclude = "no list"\n')
    assert consent.unwanted(b'{"cwd":"/p/private"}')
    assert exclusion.rules() == ["/p/private/**"]


def test_a_hook_in_a_folder_that_was_removed_still_answers(home, tmp_path, monkeypatch):
    (home / "config.toml").write_text('[capture]\nexclude = ["/p/private/**"]\n')
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert not consent.unwanted(b'{"cwd":"/p/public"}')
    assert consent.unwanted(b'{"cwd":"/p/private"}')


@pytest.mark.skipif(sys.platform == "darwin", reason="case does not tell folders apart there")
def test_case_tells_folders_apart():
    assert not is_excluded("/P/Private", ["/p/private"])
