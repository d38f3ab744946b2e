"""One repository, one identity, from wherever it is seen."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamhook import repository

SAME = [
    "git@github.com:Acme/api.git",
    "ssh://git@github.com:22/Acme/api",
    "https://github.com/acme/api.git/",
    "https://user:secret@GitHub.com/Acme/api",
    "git://github.com/acme/api",
]


def git(*words, cwd):
    options = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", *options, *words], cwd=cwd, check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "api"
    folder.mkdir()
    git("init", "-q", "-b", "main", cwd=folder)
    git("commit", "-q", "--allow-empty", "-m", "first", cwd=folder)
    git("remote", "add", "origin", SAME[0], cwd=folder)
    return folder


@pytest.mark.parametrize("url", SAME)
def test_all_forms_of_a_remote_are_one(url):
    assert repository.normalise_remote(url) == "github.com/acme/api"


def test_a_worktree_a_subfolder_and_a_symlink_are_the_same_repository(checkout, tmp_path):
    git("worktree", "add", "-q", "-b", "other", str(tmp_path / "tree"), cwd=checkout)
    (checkout / "src/deep").mkdir(parents=True)
    (tmp_path / "link").symlink_to(checkout)
    main = repository.find(str(checkout))
    seen = [repository.find(str(place)) for place in (tmp_path / "tree", checkout / "src/deep", tmp_path / "link")]
    assert {one.id for one in seen} == {main.id}
    assert (main.branch, seen[0].branch) == ("main", "other")
    assert main.remote == "github.com/acme/api"


def test_a_submodule_is_its_own_repository(checkout, tmp_path):
    library = tmp_path / "library"
    library.mkdir()
    git("init", "-q", cwd=library)
    git("commit", "-q", "--allow-empty", "-m", "first", cwd=library)
    git("submodule", "add", "-q", str(library), "vendor/library", cwd=checkout)
    assert repository.find(str(checkout / "vendor/library")).id != repository.find(str(checkout)).id


def test_two_folders_without_git_are_two(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a-b").mkdir()
    assert repository.find(str(tmp_path / "a")).id != repository.find(str(tmp_path / "a-b")).id


def test_a_folder_that_is_not_on_this_machine_still_has_an_identity():
    assert repository.find("/nowhere/acme-api") == repository.find("/nowhere/acme-api")


def test_a_broken_git_config_is_no_error(checkout):
    (checkout / ".git/config").write_text('[remote "origin\nurl = = \0')
    assert repository.find(str(checkout)).remote is None


@given(st.text())
def test_any_text_as_a_folder_gives_an_identity(folder):
    assert repository.find("/nowhere/" + folder).id


@given(st.text())
def test_any_text_as_a_remote_is_normalised_to_itself_once_normalised(url):
    once = repository.normalise_remote(url)
    assert isinstance(once, str)
