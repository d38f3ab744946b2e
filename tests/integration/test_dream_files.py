"""Requests to files and answers from files: the same checks, nothing written before, nothing stale applied."""

import json
from pathlib import Path
from typing import Any

import pytest

from dream.dream import main
from dreamhook.memory import note_file
from tests.dream_world import (
    FOUND,
    PROJECT,
    World,
    change,
    dreamt,
    nothing,
    prompt,
    update,
    watermark,
)
from tests.messages_stub import answer, said

pytestmark = pytest.mark.neo4j


def exported(folder: Path, *options: str) -> list[dict[str, Any]]:
    """What `--export-requests` wrote, in the order of the events."""
    assert main(["--export-requests", str(folder), *options]) == 0
    files = [json.loads(file.read_text(encoding="utf-8")) for file in folder.glob("*.request.json")]
    return sorted(files, key=lambda one: one["context"]["to_seq"])


def respond(folder: Path, request: dict[str, Any], text: str, name: str = "{id}.json") -> None:
    (folder / name.format(id=request["id"])).write_text(text, encoding="utf-8")


def test_an_export_holds_the_exact_request_needs_no_key_and_writes_nothing(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.happened(prompt(FOUND))
    before = world.whole_graph()
    with monkeypatch.context() as keyless:
        keyless.delenv("ANTHROPIC_API_KEY")
        [request] = exported(tmp_path)
    assert world.whole_graph() == before
    assert world.claude.requests == []
    assert main([]) == 0
    assert world.claude.requests == [request["request"]]
    assert FOUND not in json.dumps(request["context"])


@pytest.mark.parametrize(
    ("form", "name"),
    [
        (json.dumps, "{id}.json"),
        (lambda value: json.dumps(answer(value).body), "{id}.response.json"),
        (
            lambda value: (
                f"Here is what I found.\n\n```json\n{json.dumps(value, indent=2)}\n```\nDone."
            ),
            "{id}.txt",
        ),
        (
            lambda value: json.dumps(
                {"custom_id": "x", "result": {"type": "succeeded", "message": answer(value).body}}
            ),
            "{id}.json",
        ),
        (lambda value: json.dumps({"id": "x", "response": value}), "{id}.json"),
    ],
)
def test_an_answer_is_applied_later_without_a_key_in_any_of_its_forms(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: Any, name: str
) -> None:
    session = world.happened(prompt(FOUND))
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    [request] = exported(tmp_path)
    respond(tmp_path, request, form(dreamt(change())), name)
    assert main(["--import-responses", str(tmp_path)]) == 0
    note = note_file.parse(world.memories()[PROJECT]["content"])
    assert (note.body, note.evidence[0]["session"]) == (FOUND, session)
    assert watermark(world) == request["context"]["to_seq"]
    assert exported(tmp_path / "again") == []
    [row] = world.ask(
        "MATCH (d:Dream {person: $person}) RETURN d.backend AS backend, d.status AS status"
    )
    assert row == {"backend": "files", "status": "done"}


def test_answers_may_come_without_their_request_files(world: World, tmp_path: Path) -> None:
    world.happened(prompt(FOUND))
    [request] = exported(tmp_path / "requests")
    (tmp_path / "answers").mkdir()
    respond(tmp_path / "answers", request, json.dumps(dreamt(change())))
    assert main(["--import-responses", str(tmp_path / "answers")]) == 0
    assert list(world.memories()) == [PROJECT]


def test_an_imported_answer_passes_the_same_checks(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world.happened(prompt(FOUND))
    [request] = exported(tmp_path)
    respond(
        tmp_path,
        request,
        json.dumps(dreamt(change(path="../escape.md"), change(evidence=["E7"]), change())),
    )
    assert main(["--import-responses", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "dropped a change of ../escape.md" in told
    assert "E7 is not in the input" in told
    assert list(world.memories()) == [PROJECT]


def test_an_answer_to_events_that_were_dreamed_meanwhile_is_refused_with_the_reason(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world.happened(prompt(FOUND))
    [request] = exported(tmp_path)
    assert main([]) == 0
    respond(tmp_path, request, json.dumps(dreamt(change())))
    assert main(["--import-responses", str(tmp_path)]) == 1
    assert (
        "another dream has been over its events since; the answer was not applied"
        in capsys.readouterr().err
    )
    assert world.memories() == {}


def test_an_answer_is_applied_once(world: World, tmp_path: Path) -> None:
    world.happened(prompt(FOUND))
    [request] = exported(tmp_path)
    respond(tmp_path, request, json.dumps(dreamt(change())))
    assert main(["--import-responses", str(tmp_path)]) == 0
    assert main(["--import-responses", str(tmp_path)]) == 1
    assert world.memories()[PROJECT]["version"] == 1


def test_a_change_of_a_note_that_moved_meanwhile_is_dropped_and_the_rest_applied(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world.happened(prompt(FOUND))
    world.claude.play(answer(dreamt(change())))
    assert main([]) == 0
    world.happened(prompt("more"))
    [request] = exported(tmp_path)
    late = update(world, FOUND + " More.")
    world.ask("MATCH (m:Memory {owner: $person}) SET m.version = 2")
    respond(tmp_path, request, json.dumps(dreamt(late, change("project/other.md"))))
    assert main(["--import-responses", str(tmp_path)]) == 0
    assert f"dropped a change of {PROJECT}: the note is at version 2" in capsys.readouterr().out
    assert world.memories()[PROJECT]["version"] == 2
    assert "project/other.md" in world.memories()


def test_an_answer_that_rests_on_forgotten_events_is_refused(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world.happened(prompt(FOUND))
    [request] = exported(tmp_path)
    world.ask("MATCH (e:Event {person: $person}) DETACH DELETE e")
    respond(tmp_path, request, json.dumps(dreamt(change())))
    assert main(["--import-responses", str(tmp_path)]) == 1
    assert "events it rests on were forgotten" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "reason"), [("Sure!", "not valid JSON"), ("{}", "`sessions` is missing")]
)
def test_what_is_no_answer_is_refused_and_the_others_applied(
    world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, reason: str
) -> None:
    world.happened(prompt("first"), repository=world.repository("alpha"))
    world.happened(prompt(FOUND))
    for request in exported(tmp_path):
        is_alpha = "first" in said(request["request"])
        respond(tmp_path, request, text if is_alpha else json.dumps(dreamt(change())))
    assert main(["--import-responses", str(tmp_path)]) == 1
    assert reason in capsys.readouterr().err
    assert list(world.memories()) == [PROJECT]
    assert watermark(world, world.repository("alpha")) == 0


def test_parts_of_one_repository_are_applied_in_order_and_never_over_a_gap(
    world: World,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("dream.files.BUDGET", 2_000)
    for number in range(3):
        world.happened(prompt(f"statement {number} " + "x" * 1_500))
    parts = exported(tmp_path)
    assert [
        f"statement {number}" in said(part["request"]) for number, part in enumerate(parts)
    ] == [True] * 3
    for part in (parts[0], parts[2]):
        respond(tmp_path, part, json.dumps(nothing("S1")))
    assert main(["--import-responses", str(tmp_path)]) == 1
    assert "the part before it was not applied" in capsys.readouterr().err
    assert watermark(world) == parts[0]["context"]["to_seq"]
    (tmp_path / f"{parts[0]['id']}.json").unlink()
    respond(tmp_path, parts[1], json.dumps(nothing("S1")))
    assert main(["--import-responses", str(tmp_path)]) == 0
    assert watermark(world) == parts[2]["context"]["to_seq"]


def test_the_exported_files_are_the_persons_alone(world: World, tmp_path: Path) -> None:
    world.happened(prompt(FOUND))
    assert main(["--export-requests", str(tmp_path / "new")]) == 0
    [file] = (tmp_path / "new").iterdir()
    assert file.stat().st_mode & 0o077 == 0
