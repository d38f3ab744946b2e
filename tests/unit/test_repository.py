"""One repository, one identity, from wherever it is seen."""

import os
import subprocess
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamhook.repository import git_config, git_root, identity

SAME = [
    "git@github.com:Acme/api.git",
    "github.com:acme/api",
    "ssh://git@github.com:22/Acme/api",
    "ssh://git@ssh.github.com:443/acme/api.git",
    "https://github.com/acme/api.git/",
    "https://user:secret@GitHub.com/Acme/api",
    "https://github.com//acme/api",
    "git+ssh://git@github.com/acme/api.git",
    "git://github.com/acme/api",
]


def git(*words, cwd):
    options = [
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@example.com",
        "-c",
        "protocol.file.allow=always",
    ]
    done = subprocess.run(
        ["git", *options, *words], cwd=cwd, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def commit(folder, message="work"):
    git("commit", "-q", "--allow-empty", "-m", message, cwd=folder)


def id_of(place):
    return identity.find(str(place)).id


@pytest.fixture
def plain(tmp_path):
    """A repository with commits and no remote."""
    folder = tmp_path / "plain"
    folder.mkdir()
    git("init", "-q", "-b", "main", cwd=folder)
    for number in range(3):
        commit(folder, str(number))
    return folder


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "api"
    folder.mkdir()
    git("init", "-q", "-b", "main", cwd=folder)
    commit(folder)
    git("remote", "add", "origin", SAME[0], cwd=folder)
    return folder


@pytest.mark.parametrize("url", SAME)
def test_all_forms_of_a_remote_are_one(url, checkout):
    assert identity.normalise_remote(url) == "github.com/acme/api"
    before = id_of(checkout)
    git("remote", "set-url", "origin", url, cwd=checkout)
    assert id_of(checkout) == before


@pytest.mark.parametrize(
    "url",
    ["git@ssh.dev.azure.com:v3/Acme/shop/api", "https://acme@dev.azure.com/Acme/shop/_git/api"],
)
def test_azures_two_addresses_are_one(url):
    assert identity.normalise_remote(url) == "dev.azure.com/acme/shop/api"


def test_a_worktree_a_subfolder_a_symlink_and_a_second_clone_are_the_same_repository(
    checkout, tmp_path
):
    git("worktree", "add", "-q", "-b", "other", str(tmp_path / "tree"), cwd=checkout)
    (checkout / "src/deep").mkdir(parents=True)
    (tmp_path / "link").symlink_to(checkout)
    git("clone", "-q", str(checkout), str(tmp_path / "clone"), cwd=tmp_path)
    git("clone", "-q", "--bare", str(checkout), str(tmp_path / "bare.git"), cwd=tmp_path)
    git("clone", "-q", str(tmp_path / "clone"), str(tmp_path / "clone-of-clone"), cwd=tmp_path)
    main = identity.find(str(checkout))
    others = [
        "tree",
        "api/src/deep",
        "link",
        "link/src/deep",
        "clone",
        "clone-of-clone",
        "api/.git",
    ]
    assert {name: id_of(tmp_path / name) for name in others} == dict.fromkeys(others, main.id)
    assert (main.branch, identity.find(str(tmp_path / "tree")).branch) == ("main", "other")
    assert main.remote == "github.com/acme/api"
    assert identity.find(str(tmp_path / "tree")).place == main.place == str(checkout)


def test_a_submodule_is_its_own_repository_the_same_as_its_source(checkout, plain):
    git("submodule", "add", "-q", str(plain), "vendor/library", cwd=checkout)
    assert id_of(checkout / "vendor/library") == id_of(plain) != id_of(checkout)


def test_a_relative_remote_is_a_path_from_its_own_checkout(tmp_path):
    for name in ("a/source", "b/source", "a/clone", "b/clone"):
        (tmp_path / name).mkdir(parents=True)
        git("init", "-q", cwd=tmp_path / name)
    for name in ("a", "b"):
        commit(tmp_path / name / "source", name)
        git("remote", "add", "origin", "../source", cwd=tmp_path / name / "clone")
    assert id_of(tmp_path / "a/clone") == id_of(tmp_path / "a/source")
    assert id_of(tmp_path / "a/clone") != id_of(tmp_path / "b/clone")


def test_without_a_remote_the_root_commit_counts_wherever_the_folder_lies(plain, tmp_path):
    found = identity.find(str(plain))
    assert found.claim == "root:" + git("rev-list", "--max-parents=0", "HEAD", cwd=plain)
    moved = tmp_path / "renamed"
    plain.rename(moved)
    assert id_of(moved) == found.id


@pytest.mark.parametrize("tidied", ["commit-graph", "chain", "loose", "no cheap way"])
def test_the_root_commit_is_found_without_the_reflog(tidied, plain):
    root = git("rev-list", "--max-parents=0", "HEAD", cwd=plain)
    (plain / ".git/logs/HEAD").unlink()
    if tidied == "commit-graph":
        git("gc", "-q", cwd=plain)
        git("commit-graph", "write", "--reachable", cwd=plain)
    elif tidied == "chain":
        git("commit-graph", "write", "--reachable", "--split", cwd=plain)
        commit(plain)
        git("commit-graph", "write", "--reachable", "--split=no-merge", cwd=plain)
    elif tidied == "no cheap way":
        git("-c", "gc.writeCommitGraph=false", "gc", "-q", cwd=plain)
    assert git_root.root_commit(str(plain / ".git")) == (None if tidied == "no cheap way" else root)
    assert id_of(plain) == id_of(plain)


def test_of_two_roots_the_older_counts(plain):
    root = git("rev-list", "--max-parents=0", "HEAD", cwd=plain)
    git("checkout", "-q", "--orphan", "pages", cwd=plain)
    subprocess.run(
        [
            "git",
            "-c",
            "user.name=t",
            "-c",
            "user.email=t",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "x",
        ],
        cwd=plain,
        check=True,
        env=os.environ
        | {"GIT_COMMITTER_DATE": "2099-01-01T00:00:00Z", "GIT_AUTHOR_DATE": "2099-01-01T00:00:00Z"},
    )
    (plain / ".git/logs/HEAD").unlink()
    git("commit-graph", "write", "--reachable", cwd=plain)
    assert git_root.root_commit(str(plain / ".git")) == root


@pytest.mark.parametrize(
    "damage",
    [b"", b"CGPH", b"CGPH\x01\x01\x05\x00" + b"\0" * 60, b"CGPH\x01\x09\x01\x00" + b"x" * 99],
)
def test_a_damaged_commit_graph_is_no_error(damage, plain):
    (plain / ".git/logs/HEAD").unlink()
    (plain / ".git/objects/info").mkdir(exist_ok=True)
    (plain / ".git/objects/info/commit-graph").write_bytes(damage)
    assert id_of(plain)


def test_a_sha256_repository_has_a_root_too(tmp_path):
    git("init", "-q", "--object-format=sha256", "s", cwd=tmp_path)
    commit(tmp_path / "s")
    assert len(identity.find(str(tmp_path / "s")).claim) == len("root:") + 64


def test_without_commits_the_path_counts(tmp_path):
    git("init", "-q", "empty", cwd=tmp_path)
    found = identity.find(str(tmp_path / "empty"))
    assert found == identity.find(str(tmp_path / "empty"))
    assert found.claim == str(tmp_path / "empty")


def test_two_folders_without_git_are_two(tmp_path):
    for name in ("a", "a-b", "a/b", "A"):
        (tmp_path / name).mkdir(exist_ok=True)
    assert len({id_of(tmp_path / name) for name in ("a", "a-b", "a/b", "A")}) == 4


def test_both_spellings_of_an_accent_are_one_folder():
    composed = "/nowhere/caf\u00e9"
    assert id_of(composed) == id_of(unicodedata.normalize("NFD", composed))


def test_a_folder_that_is_not_on_this_machine_still_has_an_identity():
    assert identity.find("/nowhere/acme-api") == identity.find("/nowhere/acme-api")


def test_a_repository_that_only_claims_a_worktree_does_not_get_its_place(checkout, tmp_path):
    """An unpacked archive may hold a `.git` file that names somebody's real repository."""
    liar = tmp_path / "liar"
    (liar / "fake").mkdir(parents=True)
    (liar / ".git").write_text(f"gitdir: {checkout}/.git\n")
    assert identity.find(str(liar)).place == str(liar)
    (liar / ".git").write_text("gitdir: fake\n")
    (liar / "fake/HEAD").write_text("ref: refs/heads/main\n")
    (liar / "fake/commondir").write_text(f"{checkout}/.git\n")
    (liar / "fake/gitdir").write_text(f"{liar}/.git\n")
    assert identity.find(str(liar)).place == str(liar)
    git("worktree", "add", "-q", "-b", "other", str(tmp_path / "tree"), cwd=checkout)
    (liar / ".git").write_text((tmp_path / "tree/.git").read_text())
    assert identity.find(str(liar)).place == str(liar)


def test_the_users_rewriting_of_addresses_is_followed(checkout, home):
    git("remote", "set-url", "origin", "gh:acme/api", cwd=checkout)
    (home.parent / ".gitconfig").write_text(
        '[url "git@github.com:"]\n\tinsteadOf = "gh:"  # short\n'
    )
    assert identity.find(str(checkout)).remote == "github.com/acme/api"


def test_a_config_is_read_as_git_reads_it():
    text = (
        '[core]\n\tbare = false\n[Remote "a b"]\n  URL = "x;y" ; not this\n\turl=second\n'
        '[url "https://x/"] insteadOf = \\\n  y:\n[broken\n= nothing\nflag\n'
    )
    found = git_config.parse(text)
    assert found["remote", "a b"]["url"] == ["x;y", "second"]
    assert found["url", "https://x/"]["insteadof"] == ["y:"]


def test_a_broken_git_config_is_no_error(checkout):
    (checkout / ".git/config").write_text('[remote "origin\nurl = = \0')
    assert identity.find(str(checkout)).remote is None


def test_no_process_is_started(checkout, plain, monkeypatch):
    def refuse(*_words, **_options):
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr(os, "fork", refuse)
    monkeypatch.setattr(os, "posix_spawn", refuse)
    assert id_of(checkout) != id_of(plain)


@given(st.text())
def test_any_text_as_a_folder_gives_an_identity(folder):
    assert identity.find("/nowhere/" + folder).id


@given(st.text())
def test_any_text_as_a_git_config_is_read(text):
    git_config.parse(text)


@given(st.text())
def test_any_text_as_a_remote_has_a_form(url):
    assert isinstance(identity.normalise_remote(url), str)
