"""A pack is the answer for one folder as it was: whatever is put in its place is told nothing of it."""

import shutil
import subprocess

import pytest

from dreamhook.hook import cached_start
from tests.checkouts import make_checkout

ANSWER = b'{"hookSpecificOutput":{}}\n'
OTHER = "git@github.com:acme/other.git"


def git(folder, *words):
    subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True)


def packed(folder):
    cached_start.write(str(folder), {"codex": ANSWER})
    assert cached_start.read("codex", str(folder)) == ANSWER
    return folder


def read(folder):
    return cached_start.read("codex", str(folder))


@pytest.mark.parametrize("remotes", [("git@github.com:acme/private.git", OTHER), (None, None)])
def test_another_checkout_in_the_place_of_one_gets_nothing(home, tmp_path, remotes):
    here = tmp_path / "work"
    for number, remote in enumerate(remotes):
        shutil.rmtree(here, ignore_errors=True)
        if remote:
            make_checkout(here, remote)
        else:
            here.mkdir()
            git(here, "init", "-q")
        if number == 0:
            packed(here)
    assert read(here) == b""


def test_a_link_that_leads_elsewhere_now_gets_nothing(home, tmp_path):
    one, other, link = (
        make_checkout(tmp_path / "one"),
        make_checkout(tmp_path / "other"),
        tmp_path / "current",
    )
    link.symlink_to(one)
    packed(link)
    link.unlink()
    link.symlink_to(other)
    assert read(link) == b""


def test_a_folder_that_became_a_repository_gets_nothing(home, tmp_path):
    packed(tmp_path)
    git(tmp_path, "init", "-q")
    assert read(tmp_path) == b""


def test_a_remote_that_changed_its_address_gets_nothing(home, tmp_path):
    here = packed(make_checkout(tmp_path / "work"))
    git(here, "remote", "set-url", "origin", OTHER)
    assert read(here) == b""


@pytest.mark.parametrize("where", ["", "src/deep"])
def test_a_new_branch_and_its_upstream_change_nothing(home, tmp_path, where):
    here = make_checkout(tmp_path / "work")
    (here / where).mkdir(parents=True, exist_ok=True)
    packed(here / where)
    git(here, "config", "branch.topic.remote", "origin")
    git(here, "config", "branch.topic.merge", "refs/heads/topic")
    assert read(here / where) == ANSWER


def test_a_worktree_goes_by_its_main_checkouts_remotes(home, tmp_path):
    here = make_checkout(tmp_path / "work")
    git(
        here,
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "x",
    )
    git(here, "worktree", "add", "-q", str(tmp_path / "tree"))
    packed(tmp_path / "tree")
    git(here, "remote", "set-url", "origin", OTHER)
    assert read(tmp_path / "tree") == b""


@pytest.mark.parametrize(
    "content", [b"", b"/p", b"/p\n", b'/p\n{"answer":1}\n', b"/p\n\t\n{}", b"\xff\n\t\t\n{}"]
)
def test_a_file_of_another_version_or_a_damaged_one_is_no_pack(home, content):
    packed("/p")
    with open(cached_start.file("codex", "/p"), "wb") as file:
        file.write(content)
    assert read("/p") == b""
