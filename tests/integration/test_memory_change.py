"""What a person changes about their notes: a new version each time, and every earlier one back, byte for byte."""

import json
from datetime import UTC
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from neo4j.time import Date, DateTime

from dream.dream import main
from dreamhook.cli.folder import export_notes, import_notes
from dreamhook.cli.memory import memory_group
from dreamhook.memory.note_file import body
from tests.dream_world import FOUND, PROJECT, World, change, dreamt, prompt
from tests.messages_stub import answer

pytestmark = pytest.mark.neo4j

BY_HAND = (
    "---\ntitle: 'Mine: #1'\ndescription: d\nkind: fact\nticket: B-1\n---\n\n"
    "Written by hand.\r\nNo newline at the end"
)


@pytest.fixture
def world(world: World) -> World:
    world.happened(prompt(FOUND))
    world.claude.play(answer(dreamt(change(), change("profile/role.md"))))
    assert main([]) == 0
    return world


def run(command: click.Command, *arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments))


def test_an_edit_is_kept_byte_for_byte_as_a_new_version(world: World, tmp_path: Path) -> None:
    first = world.memories()[PROJECT]["content"]
    (tmp_path / "note.md").write_bytes(BY_HAND.encode())
    done = run(memory_group, "edit", PROJECT, "--file", str(tmp_path / "note.md"))
    assert (done.exit_code, done.output) == (0, f"{PROJECT}: version 2\n")
    stored = world.memories()[PROJECT]
    assert (stored["content"], stored["title"], stored["edited_by_hand"]) == (
        BY_HAND,
        "Mine: #1",
        True,
    )
    kept = json.loads(run(memory_group, "history", PROJECT, "--json").stdout)
    assert [(row["version"], row["content"]) for row in kept] == [(2, BY_HAND), (1, first)]
    assert "version 2" in run(memory_group, "history", PROJECT).stdout
    assert "+Written by hand." in run(memory_group, "history", PROJECT, "--diff").stdout


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("no front matter", "has no title, description, kind"),
        ("---\ntitle: [\n---\nx", "not valid YAML"),
        ("---\ntitle: t\ndescription: d\nkind: fact\n---\n", "no text under its front matter"),
        (
            "---\ntitle: t\ndescription: d\nkind: fact\nexpires: soon\n---\nx",
            "is not a date like 2027-01-31",
        ),
        (
            "---\ntitle: t\ndescription: d\nkind: fact\nreview_by: not-a-date\n---\nx",
            "`review_by` in its front matter",
        ),
        (
            "---\ntitle: t\ndescription: d\nkind: fact\nreview_by: 20270131\n---\nx",
            "is not a date like 2027-01-31",
        ),
        (
            "---\ntitle: t\ndescription: d\nkind: fact\nreview_by: [1]\n---\nx",
            "is not a date like 2027-01-31",
        ),
    ],
)
def test_a_malformed_edit_is_refused_and_changes_nothing(
    world: World, tmp_path: Path, content: str, reason: str
) -> None:
    before = world.memories()
    (tmp_path / "note.md").write_text(content, encoding="utf-8")
    done = run(memory_group, "edit", PROJECT, "--file", str(tmp_path / "note.md"))
    assert done.exit_code == 1
    assert reason in done.stderr
    assert world.memories() == before


def test_a_note_that_has_expired_is_kept_and_listed_as_such(world: World, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text(
        BY_HAND.replace("ticket: B-1", "expires: 2026-11-30"), encoding="utf-8"
    )
    assert run(memory_group, "edit", PROJECT, "--file", str(tmp_path / "note.md")).exit_code == 0
    assert world.memories()[PROJECT]["expires"] == "2026-11-30"
    assert f"{PROJECT} (expired)" in run(memory_group, "list").stdout
    assert run(memory_group, "undo", PROJECT).exit_code == 0
    assert "(expired)" not in run(memory_group, "list").stdout
    assert "expires" not in world.memories()[PROJECT]


def test_undo_brings_back_an_earlier_version_byte_for_byte(world: World, tmp_path: Path) -> None:
    first = world.memories()[PROJECT]["content"]
    (tmp_path / "note.md").write_bytes(BY_HAND.encode())
    run(memory_group, "edit", PROJECT, "--file", str(tmp_path / "note.md"))
    assert run(memory_group, "undo", PROJECT).exit_code == 0
    stored = world.memories()[PROJECT]
    assert (stored["content"], stored["version"], stored["title"]) == (first, 3, "Batch retries")
    assert not stored.get("edited_by_hand")
    assert run(memory_group, "undo", PROJECT, "--to", "2").exit_code == 0
    assert world.memories()[PROJECT]["content"] == BY_HAND
    assert "there is no version 9" in run(memory_group, "undo", PROJECT, "--to", "9").stderr


def test_a_removed_note_is_kept_comes_back_and_no_dream_writes_it_again(world: World) -> None:
    before = world.memories()[PROJECT]["content"]
    assert run(memory_group, "rm", PROJECT).exit_code == 0
    assert world.memories()[PROJECT]["status"] == "superseded"
    world.happened(prompt(FOUND))
    world.claude.play(answer(dreamt(change())))
    assert main([]) == 0
    assert world.memories()[PROJECT]["status"] == "superseded"
    [row] = world.ask("MATCH (p:Proposal {person: $person}) RETURN p.reason AS reason")
    assert row["reason"] == "you removed the note here"
    assert run(memory_group, "undo", PROJECT).exit_code == 0
    stored = world.memories()[PROJECT]
    assert (stored["status"], stored["content"]) == ("current", before)


def test_a_note_is_pinned_and_unpinned(world: World) -> None:
    run(memory_group, "pin", PROJECT)
    assert world.memories()[PROJECT]["pinned"] is True
    run(memory_group, "unpin", PROJECT)
    assert world.memories()[PROJECT]["pinned"] is False
    assert "no memory at project/none.md" in run(memory_group, "pin", "project/none.md").stderr


def test_a_folder_holds_every_note_and_brings_each_back_byte_for_byte(
    world: World, tmp_path: Path
) -> None:
    before = world.memories()
    folder = tmp_path / "notes"
    assert run(export_notes, str(folder)).stdout == f"2 notes written to {folder}\n"
    inside = folder / "repositories" / world.repository() / PROJECT
    assert inside.read_bytes() == before[PROJECT]["content"].encode()
    assert run(import_notes, str(folder)).stdout == "0 made, 0 changed, 2 same, 0 refused\n"
    assert world.memories() == before
    assert "is not empty" in run(export_notes, str(folder)).stderr
    inside.write_bytes(BY_HAND.encode())
    (folder / "tools" / "git").mkdir(parents=True)
    (folder / "tools/git/worktrees.md").write_bytes(BY_HAND.encode())
    assert run(import_notes, str(folder)).stdout == "1 made, 1 changed, 1 same, 0 refused\n"
    assert world.memories()[PROJECT]["content"] == BY_HAND
    world.ask("MATCH (n) WHERE n:Memory OR n:MemoryVersion DETACH DELETE n")
    assert run(import_notes, str(folder)).exit_code == 0
    stored = world.memories()
    assert stored["profile/role.md"]["content"] == before["profile/role.md"]["content"]
    assert stored["profile/role.md"]["cues"] == before["profile/role.md"]["cues"]
    assert stored["tools/git/worktrees.md"]["scope"] == f"person:{world.person}"
    again = tmp_path / "again"
    run(export_notes, str(again))
    assert {file.relative_to(again): file.read_bytes() for file in again.rglob("*.md")} == {
        file.relative_to(folder): file.read_bytes() for file in folder.rglob("*.md")
    }


def test_a_malformed_file_is_refused_alone(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    bad = {
        "profile/a.md": b"---\ntitle: [\n---\n",
        "profile/b.md": b"\xff\xfe",
        "elsewhere/c.md": BY_HAND.encode(),
        "project/d.md": BY_HAND.encode(),
        "profile/good.md": BY_HAND.encode(),
    }
    for name, content in bad.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    (folder / "profile/link.md").symlink_to("/etc/hostname")
    done = run(import_notes, str(folder))
    assert done.exit_code == 1
    assert done.stdout == "1 made, 0 changed, 0 same, 5 refused\n"
    for reason in (
        "not valid YAML",
        "not UTF-8",
        "is not profile/",
        "under repositories/",
        "it is a link",
    ):
        assert reason in done.stderr
    assert world.memories()["profile/good.md"]["content"] == BY_HAND


@pytest.mark.parametrize("name", ["profile/UPPER.MD", "profile/upper.Md", "PROFILE/Upper.md"])
def test_a_file_is_a_note_whatever_the_case_of_its_name(
    world: World, tmp_path: Path, name: str
) -> None:
    (tmp_path / "notes" / name).parent.mkdir(parents=True)
    (tmp_path / "notes" / name).write_bytes(BY_HAND.encode())
    assert (
        run(import_notes, str(tmp_path / "notes")).stdout
        == "1 made, 0 changed, 0 same, 0 refused\n"
    )
    assert world.memories()["profile/upper.md"]["content"] == BY_HAND


@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["", "byte order mark"])
def test_a_file_of_another_editor_is_taken_as_it_is_and_shown_without_its_front_matter(
    world: World, tmp_path: Path, mark: str
) -> None:
    content = mark + BY_HAND.replace("\r\n", "\n").replace("\n", "\r\n").replace(
        "kind: fact", "kind: fact\r\ncues: one"
    )
    (tmp_path / "notes/profile").mkdir(parents=True)
    (tmp_path / "notes/profile/a.md").write_bytes(content.encode())
    assert run(import_notes, str(tmp_path / "notes")).exit_code == 0
    stored = world.memories()["profile/a.md"]
    assert (stored["content"], stored["title"], stored["cues"]) == (content, "Mine: #1", ["one"])
    assert body(stored["content"]) == "Written by hand.\r\nNo newline at the end"
    run(export_notes, str(tmp_path / "out"))
    assert (tmp_path / "out/profile/a.md").read_bytes() == content.encode()


DAMAGE: dict[str, object] = {
    "description": [1, 2],
    "title": 7,
    "content": [1],
    "version": "x",
    "status": ["current"],
    "expires": Date(2020, 1, 1),
    "review_by": [Date(2020, 1, 1)],
    "updated_at": DateTime(2026, 11, 29, tzinfo=UTC),
    "cues": "c",
    "edited_by_hand": 1.5,
    "pinned": "yes",
}


@pytest.mark.parametrize("value", ["as damaged", "gone"])
@pytest.mark.parametrize("name", DAMAGE)
def test_a_note_damaged_in_the_store_disturbs_no_other_and_can_be_removed(
    world: World, tmp_path: Path, name: str, value: str
) -> None:
    damaged = DAMAGE[name] if value == "as damaged" else None
    world.ask(
        "MATCH (m:Memory {owner: $person, path: $path}) SET m += $p",
        path=PROJECT,
        p={name: damaged},
    )
    for words in (["list"], ["list", "--json"], ["list", "--all", "--json"]):
        done = run(memory_group, *words)
        assert (done.exit_code, "profile/role.md" in done.stdout) == (0, True), done
    assert name == "status" or PROJECT in run(memory_group, "list").stdout
    for words in (
        ["show"],
        ["show", "--json"],
        ["history"],
        ["history", "--json"],
        ["history", "--diff"],
    ):
        assert run(memory_group, words[0], PROJECT, *words[1:]).exit_code == 0, words
    done = run(export_notes, str(tmp_path / "out"))
    assert (tmp_path / "out/profile/role.md").exists()
    assert (done.exit_code, PROJECT in done.stderr) == (
        (1, True) if name == "content" else (0, False)
    )
    assert run(import_notes, str(tmp_path / "out")).exit_code == 0
    done = run(memory_group, "rm", PROJECT)
    assert (done.exit_code, done.output) == (
        0,
        f"{PROJECT}: removed; `dreamhook memory undo {PROJECT}` brings it back\n",
    )
    assert world.memories()[PROJECT]["status"] == "superseded"
    assert PROJECT not in run(memory_group, "list").stdout


@pytest.mark.parametrize("version", ["x", None, [1], 1.5, 0, -3, True])
def test_a_note_of_no_version_can_be_edited_and_taken_back(
    world: World, tmp_path: Path, version: object
) -> None:
    world.ask(
        "MATCH (m:Memory {owner: $person, path: $path}) SET m.version = $v", path=PROJECT, v=version
    )
    before = world.memories()[PROJECT]["content"]
    (tmp_path / "note.md").write_bytes(BY_HAND.encode())
    done = run(memory_group, "edit", PROJECT, "--file", str(tmp_path / "note.md"))
    assert (done.exit_code, done.output) == (0, f"{PROJECT}: version 2\n")
    assert run(memory_group, "undo", PROJECT).exit_code == 0
    stored = world.memories()[PROJECT]
    assert (stored["content"], stored["version"]) == (before, 3)


@pytest.mark.parametrize(
    "damage",
    [
        *({"scope": None}, {"scope": ["a"]}, {"scope": "repo:../../x"}, {"owner": None}),
        *({"path": "../../a.md"}, {"path": ["a"]}, {"path": None}),
    ],
)
def test_a_note_whose_place_is_damaged_leaves_no_folder_and_disturbs_no_other(
    world: World, tmp_path: Path, damage: dict[str, object]
) -> None:
    world.ask("MATCH (m:Memory {owner: $person, path: $path}) SET m += $p", path=PROJECT, p=damage)
    assert "profile/role.md" in run(memory_group, "list").stdout
    done = run(export_notes, str(tmp_path / "in/side/out"))
    there = sorted(file.name for file in tmp_path.rglob("*.md"))
    assert (done.exit_code, there) == (
        (0, ["batch-retries.md", "role.md"]) if "owner" in damage else (1, ["role.md"])
    )
    assert (tmp_path / "in/side/out/profile/role.md").exists()
    assert run(import_notes, str(tmp_path / "in/side/out")).exit_code == 0
    if "path" not in damage:
        done = run(memory_group, "rm", PROJECT)
        assert isinstance(done.exception, SystemExit) or done.exit_code == 0
        assert len(done.output.strip().splitlines()) == 1
