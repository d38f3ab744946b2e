"""The command line as a person and a script meet it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(sys.executable).with_name("dreamhook")
COMMANDS = (
    "status doctor drain dream memory forget export import repo pause resume fresh neo4j worker".split()
    + [f"memory {name}" for name in "list show search edit rm undo history pin unpin".split()]
    + [f"repo {name}" for name in "list approve alias block".split()]
    + [f"neo4j {name}" for name in "start stop status browse".split()]
    + [f"worker {name}" for name in "start stop status".split()]
)
CONTRACT = (
    "neo4j.uri neo4j.user neo4j.password_file neo4j.http_url spool.depth spool.oldest_age_s spool.bad spool.lost "
    "worker.running last_capture_at last_dream_at harnesses.claude_code.installed harnesses.codex.installed "
    "harnesses.cursor.installed"
).split()


def dreamhook(*words, **options):
    return subprocess.run(
        [PROGRAM, *words], capture_output=True, text=True, timeout=120, check=False, **options
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_contract_is_there_and_explains_itself(command):
    done = dreamhook(*command.split(), "--help")
    assert done.returncode == 0, done.stderr
    assert "usage" in done.stdout.lower()


@pytest.mark.neo4j
def test_status_has_the_keys_that_scripts_rely_on(graph, configured_home):
    found = json.loads(dreamhook("status", "--json").stdout)
    for name in CONTRACT:
        value = found
        for key in name.split("."):
            value = value[key]
    assert found["neo4j"]["state"] == "up"


def test_status_and_doctor_work_before_there_is_any_store(home):
    assert dreamhook("status").returncode == 0
    done = dreamhook("doctor")
    assert done.returncode == 1
    assert "dreamhook neo4j start" in done.stdout


@pytest.mark.neo4j
@pytest.mark.parametrize(
    "command", ["memory list", "repo list", "worker status", "neo4j status", "dream log"]
)
def test_what_lists_has_json(command, graph, configured_home):
    done = dreamhook(*command.split(), "--json")
    assert done.returncode == 0, done.stderr
    json.loads(done.stdout)


def test_a_broken_config_is_one_clear_line_and_changes_nothing(home):
    (home / "config.toml").write_text("[dream\n")
    done = dreamhook("drain")
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert "config.toml" in done.stderr
    assert (home / "config.toml").read_text() == "[dream\n"


@pytest.mark.neo4j
def test_notes_leave_and_come_back_byte_for_byte(graph, configured_home, tmp_path):
    note = "---\ntitle: 'A: #1'\ndescription: about a\nkind: fact\nmine: kept\n---\n\nBody – 家.\n"
    (tmp_path / "in/profile").mkdir(parents=True)
    (tmp_path / "in/profile/a.md").write_text(note, encoding="utf-8")
    done = dreamhook("import", str(tmp_path / "in"))
    assert done.returncode == 0, done.stderr
    assert dreamhook("export", str(tmp_path / "out")).returncode == 0
    [out] = (tmp_path / "out").rglob("a.md")
    assert out.read_bytes() == note.encode()
    assert "about a" in dreamhook("memory", "list").stdout


@pytest.mark.neo4j
def test_a_listing_is_plain_where_nobody_looks(graph, configured_home):
    for variables in ({}, {"NO_COLOR": "1", "TERM": "xterm-256color"}):
        assert "\x1b" not in dreamhook("status", env=os.environ | variables).stdout
