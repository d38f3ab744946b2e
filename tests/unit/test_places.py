"""What a checkout says of itself is a claim; what it counts as is the person's decision."""

import json
import subprocess
import threading

import pytest
from click.testing import CliRunner

from dreamhook.cli import cli
from dreamhook.repository import checkouts
from dreamhook.repository.checkouts import standing
from tests.checkouts import make_checkout


@pytest.fixture
def private(tmp_path):
    return make_checkout(tmp_path / "private")


@pytest.fixture
def hostile(tmp_path):
    """Somebody else's files, with a .git/config that names my repository."""
    return make_checkout(tmp_path / "download/archive")


def run(*words, ok=True):
    done = CliRunner().invoke(cli, list(words))
    assert (done.exit_code == 0) is ok, done.output
    return done.output


def states(home):
    return {row["place"]: row["state"] for row in json.loads(run("repo", "list", "--json"))}


def test_a_new_pair_is_noted_and_in_auto_taken_at_its_word(private, hostile, home):
    mine, theirs = standing(str(private), "auto"), standing(str(hostile), "auto")
    assert mine.repository.id == theirs.repository.id
    assert mine.recalled
    assert theirs.recalled
    assert states(home) == {str(private): "new", str(hostile): "new"}
    [row] = [
        row for row in json.loads(run("repo", "list", "--json")) if row["place"] == str(hostile)
    ]
    assert row["also_at"] == [str(private)]
    assert (home / "repositories.json").stat().st_mode & 0o777 == 0o600


def test_in_strict_a_new_pair_gets_no_memories_and_an_identity_of_its_own(private, hostile, home):
    standing(str(private), "strict")
    run("repo", "approve", str(private))
    mine, theirs = standing(str(private), "strict"), standing(str(hostile), "strict")
    assert mine.recalled
    assert not theirs.recalled
    assert theirs.captured
    assert theirs.repository.id != mine.repository.id
    assert theirs.repository.id == standing(str(hostile), "strict").repository.id


def test_approval_of_one_place_is_none_of_another_and_none_of_another_remote(
    private, hostile, home
):
    run("repo", "approve", str(private))
    subprocess.run(
        ["git", "-C", private, "remote", "set-url", "origin", "https://x.org/other"], check=True
    )
    assert not standing(str(private), "strict").recalled
    assert not standing(str(hostile), "strict").recalled


def test_approving_gives_the_repository_its_memories_and_all_approves_what_is_new(
    private, hostile, home
):
    standing(str(private), "strict")
    standing(str(hostile), "strict")
    run("repo", "block", str(hostile))
    run("repo", "approve", "--all")
    assert states(home) == {str(private): "approved", str(hostile): "blocked"}
    assert standing(str(private), "strict").recalled


def test_a_blocked_pair_is_neither_recorded_nor_recalled_until_it_is_approved(hostile, home):
    run("repo", "block", str(hostile))
    blocked = standing(str(hostile / "src"), "auto")
    assert (blocked.captured, blocked.recalled) == (False, False)
    run("repo", "approve", str(hostile))
    assert standing(str(hostile), "auto").captured


def test_an_alias_makes_two_checkouts_one_repository(private, tmp_path, home):
    moved = make_checkout(tmp_path / "moved", "https://gitlab.com/acme/renamed")
    mine = standing(str(private), "auto").repository.id
    run("repo", "alias", str(moved), mine)
    assert standing(str(moved), "auto").repository.id == mine
    other = make_checkout(tmp_path / "other", "https://gitlab.com/acme/third")
    run("repo", "alias", str(other), str(private))
    assert standing(str(other), "strict").repository.id == mine
    assert "no repository is called" in run("repo", "alias", str(other), "nonsense", ok=False)


def test_a_paused_repository_is_paused_in_every_checkout(private, hostile, home):
    for policy in ("auto", "strict"):
        run("pause", "--repo", str(private))
        assert not standing(str(private), policy).captured
        assert not standing(str(hostile), policy).captured
        assert not standing(str(hostile), policy).recalled
        run("resume", "--repo", str(private))
        assert standing(str(hostile), policy).captured


def test_a_place_that_is_gone_can_still_be_decided_about(hostile, home):
    standing(str(hostile), "auto")
    hostile.rename(hostile.with_name("elsewhere"))
    run("repo", "block", str(hostile))
    assert states(home)[str(hostile)] == "blocked"
    assert "no checkout at" in run("repo", "block", str(hostile) + "-never", ok=False)


@pytest.mark.parametrize(
    "damage",
    ["", "{", "[]", '{"version": 9, "places": [], "paused": []}', '{"places": [{"x": 1}]}'],
)
def test_a_damaged_list_shows_nothing_and_is_left_for_the_person(damage, private, home):
    standing(str(private), "auto")
    good = standing(str(private), "auto").repository.id
    (home / "repositories.json").write_text(damage)
    now = standing(str(private), "auto")
    assert (now.recalled, now.captured) == (False, True)
    assert now.repository.id != good
    assert "damaged" in run("repo", "list", ok=False)
    assert "nothing was changed" in run("repo", "approve", str(private), ok=False)
    assert (home / "repositories.json").read_text() == damage


def test_places_noted_at_once_are_all_on_the_list(tmp_path, home):
    folders = [tmp_path / f"folder-{number}" for number in range(12)]
    for folder in folders:
        folder.mkdir()
    threads = [threading.Thread(target=standing, args=(str(folder), "auto")) for folder in folders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(states(home)) == {str(folder) for folder in folders}


def test_a_folder_whose_name_is_no_text_is_noted(tmp_path, home):
    odd = tmp_path / "\udcff[bold]"
    odd.mkdir()
    assert standing(str(odd), "auto").state == "new"
    assert len(checkouts.load().places) == 1
    assert "bold" in run("repo", "list")
    assert json.loads(run("repo", "list", "--json"))[0]["place"] == str(odd)
