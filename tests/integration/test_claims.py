"""A hostile checkout, and what the drain refuses: from real files to what is in the store and what is recalled."""

import json

import pytest
from click.testing import CliRunner

from dreamhook import config
from dreamhook.cli import cli
from dreamhook.memory import note_versions
from dreamhook.memory.note_file import Note
from dreamhook.memory.note_versions import Version
from dreamhook.recall import search
from dreamhook.recall.scopes import permitted
from dreamhook.record.drain import drain_round, turn
from dreamhook.record.own import dream_folder
from dreamhook.repository.checkouts import standing
from dreamhook.spool import reader, writer
from tests.checkouts import make_checkout

pytestmark = pytest.mark.neo4j


@pytest.fixture
def private(tmp_path):
    return make_checkout(tmp_path / "private")


@pytest.fixture
def hostile(tmp_path):
    return make_checkout(tmp_path / "download")


@pytest.fixture
def remembered(graph, configured_home, private):
    """My private repository has a note, and I have one that holds everywhere."""
    person = config.load().person
    repository = standing(str(private), "auto").repository.id
    for scope, path, owner in (
        (f"repo:{repository}", "project/key-rotation.md", repository),
        (f"person:{person}", "profile/tests.md", None),
    ):
        note = Note(
            "Key rotation",
            "fact",
            "How key rotation works",
            ["key rotation"],
            person,
            [],
            "",
            "Rotate the keys.",
        )
        version = Version(scope, path, note, person, owner, 0)
        with graph.session() as session:
            session.execute_write(
                lambda tx, version=version: note_versions.write(tx, version, "2026-11-29T10:00:00Z")
            )
    graph.execute_query("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    return graph


def set_policy(home, policy):
    file = home / "config.toml"
    file.write_text(
        file.read_text().partition("[repositories]")[0] + f'[repositories]\npolicy = "{policy}"\n'
    )


def recalled(driver, folder):
    """The paths of notes that a session in this folder may be given, at its start or with a prompt."""
    scopes = permitted(config.load(), str(folder))
    start = search.at_start(driver, scopes, 100)
    prompt = [found.memory for found in search.search(driver, "key rotation keys", scopes)]
    return {one.path for one in (*start, *prompt)}


def put(folder, text, **more):
    payload = {
        "session_id": text,
        "cwd": str(folder),
        "hook_event_name": "UserPromptSubmit",
        "prompt": text,
    }
    writer.put(json.dumps(payload | {"prompt_id": text} | more).encode(), "claude_code")


def drain(driver):
    with turn():
        return drain_round(driver, config.load())


def repositories(driver):
    records, _, _ = driver.execute_query(
        "MATCH (e:Event) RETURN e.prompt AS prompt, e.repository AS repository"
    )
    return {record["prompt"]: record["repository"] for record in records}


def run(*words):
    done = CliRunner().invoke(cli, list(words))
    assert done.exit_code == 0, done.output
    return done.output


BOTH = {"project/key-rotation.md", "profile/tests.md"}


def test_in_auto_a_checkout_that_names_my_repository_is_listed_as_new(remembered, hostile, private):
    assert recalled(remembered, hostile) == BOTH
    rows = json.loads(run("repo", "list", "--new", "--json"))
    assert {row["place"] for row in rows} == {str(private), str(hostile)}


def test_in_strict_nothing_of_my_repository_appears_in_a_hostile_checkout(
    remembered, hostile, private, configured_home, tmp_path
):
    run("repo", "approve", str(private))
    set_policy(configured_home, "strict")
    assert recalled(remembered, private) == BOTH
    assert recalled(remembered, private / "src") == BOTH
    assert recalled(remembered, hostile) == {"profile/tests.md"}
    (tmp_path / "link").symlink_to(hostile)
    liar = tmp_path / "liar"
    liar.mkdir()
    (liar / ".git").write_text(f"gitdir: {private}/.git\n")
    for other in (tmp_path / "link", liar, hostile / "deep/er"):
        assert recalled(remembered, other) == {"profile/tests.md"}
    put(private, "mine")
    put(hostile, "theirs")
    put(liar, "liar's")
    drain(remembered)
    found = repositories(remembered)
    assert len(found) == len(set(found.values())) == 3
    run("repo", "approve", str(hostile))
    assert recalled(remembered, hostile) == BOTH


def test_a_blocked_checkout_is_neither_recorded_nor_told_anything(remembered, hostile, private):
    run("repo", "block", str(hostile))
    assert recalled(remembered, hostile) == set()
    assert recalled(remembered, private) == BOTH
    put(hostile, "theirs")
    put(private, "mine")
    done = drain(remembered)
    assert (done.dropped, done.bad) == (1, 0)
    assert set(repositories(remembered)) == {"mine"}
    assert reader.waiting() == []


def test_an_excluded_folder_is_refused_by_the_drain_too_and_told_nothing(
    remembered, private, configured_home
):
    config_file = configured_home / "config.toml"
    config_file.write_text(
        config_file.read_text() + f'[capture]\nexclude = ["{private}/secret/**"]\n'
    )
    put(private / "secret", "excluded")
    put(
        private,
        "about it",
        hook_event_name="PostToolUse",
        tool_input={"file_path": "secret/x"},
        tool_use_id="t",
    )
    put(private, "kept")
    assert drain(remembered).dropped == 2
    assert set(repositories(remembered)) == {"kept"}
    assert recalled(remembered, private / "secret") == set()
    assert recalled(remembered, private) == BOTH


def test_a_repository_paused_in_one_clone_is_refused_from_a_clone_nobody_knew(
    graph, configured_home, private, tmp_path
):
    run("pause", "--repo", str(private))
    put(make_checkout(tmp_path / "later"), "later")
    assert drain(graph).dropped == 1
    assert repositories(graph) == {}


def test_the_dreams_own_sessions_are_refused_without_any_variable(graph, configured_home):
    put(dream_folder(), "in its folder")
    put("/elsewhere", "<dreamhook-dream>\nToday is …")
    put("/elsewhere", "kept")
    assert drain(graph).dropped == 2
    assert set(repositories(graph)) == {"kept"}


def test_the_recorded_result_of_a_test_is_a_property_and_the_claim_only_text(
    graph, configured_home
):
    tool = {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "pytest -q"}}
    printed = {"stdout": "1 failed, 2 passed in 0.1s", "stderr": ""}
    put("/p", "t1", hook_event_name="PostToolUse", tool_response=printed, **tool)
    put("/p", "s1", hook_event_name="Stop", last_assistant_message="pytest: 3 passed in 0.1s")
    drain(graph)
    records, _, _ = graph.execute_query("MATCH (e:Event) RETURN properties(e) AS e ORDER BY e.seq")
    tested, said = (record["e"] for record in records)
    assert (tested["outcome_kind"], tested["outcome_status"], tested["outcome_command"]) == (
        "test",
        "failed",
        "pytest -q",
    )
    assert (tested["outcome_passed"], tested["outcome_failed"], tested["exit_status"]) == (2, 1, 0)
    assert not [name for name in said if name.startswith("outcome")]
    assert said["assistant_text"] == "pytest: 3 passed in 0.1s"


def test_an_edits_bytes_do_not_grow_with_the_file(graph, configured_home):
    for number, size in enumerate((1_000, 15_000)):
        put("/p", str(number), hook_event_name="PostToolUse", tool_name="Edit", tool_use_id=str(number),
            tool_input={"file_path": "/a"}, tool_response={"filePath": "/a", "originalFile": "x" * size})  # fmt: skip
    drain(graph)
    records, _, _ = graph.execute_query("MATCH (e:Event) RETURN size(e.tool_response) AS size")
    sizes = [record["size"] for record in records]
    assert max(sizes) - min(sizes) < 5
