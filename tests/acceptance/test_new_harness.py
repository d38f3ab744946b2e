"""A harness is one module, one wrapper and one registration file: a fourth one is added and nothing else is touched.

The product is copied, as git lists it, into a folder of its own; the three files of tests/new_harness go into it, and
that copy is installed, used and uninstalled.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.checkouts import make_checkout
from tests.pins.golden import HERE as PINS
from tests.pins.product import PATIENT_MS, Product, give_interpreter, name_person

ROOT = Path(__file__).parents[2]
QUILL = ROOT / "tests/new_harness"
PRODUCT = ("hooks", "wrappers", "dreamhook", "dream", "cypher")
ASKED = "shell script: which bash flags, set -eu?"
FLAGS = "Every shell script begins with `set -eu`"
OTHERS = '{\n    "hooks": {"asked": [{"command": "beep"}]},\n\n    "theme": "ink"\n}\n'
CLIENT_NAMES = re.compile(r"claude[ _]?code|codex|cursor", re.IGNORECASE)
NAMED_ON_PURPOSE = {
    "dream/api.py": "who asks through a cloud says so with the variables that this program reads",
    "dream/claude_cli.py": "a dream can be asked through this program",
    "dream/words.txt": "an instruction to an agent may address it by any of these names",
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Product:
    """The product's files with the new harness's three."""
    root = tmp_path_factory.mktemp("copy")
    for name in product_files():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, root / name)
    shutil.copy2(QUILL / "quill.py", root / "dreamhook/harness")
    for name in ("quill.sh", "quill.json"):
        shutil.copy2(QUILL / name, root / "wrappers")
    give_interpreter(root)
    return Product(root)


@pytest.fixture
def settings(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What its user keeps in the new harness's settings."""
    monkeypatch.setenv("DREAMHOOK_DEADLINE_MS", PATIENT_MS)
    file = home.parent / ".quill/automations.json"
    file.parent.mkdir()
    file.write_text(OTHERS)
    return file


def product_files() -> list[str]:
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z", *PRODUCT], capture_output=True, check=True, text=True
    )
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def installer(copy: Product, *arguments: str) -> str:
    done = subprocess.run(
        [copy.root / ".venv/bin/python", "-m", "dreamhook.install", "--hooks-only", *arguments],
        cwd=copy.root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def run_hooks(settings: Path, payload: dict[str, Any], cwd: Path) -> list[str]:
    """What the registered commands for an event print, each run as a harness would."""
    listed = json.loads(settings.read_text())["hooks"][payload["kind"]]
    printed = []
    for command in [entry["command"] for entry in listed if "seconds" in entry]:
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            input=json.dumps(payload).encode(),
            cwd=cwd,
            env={**os.environ, "DREAMHOOK_HOME": ""} if "--home" in command else None,
            capture_output=True,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        printed.append(done.stdout.decode())
    return printed


def test_it_is_installed_and_uninstalled_like_the_others(copy, settings):
    said = installer(copy, "--yes", "--harness", "quill")
    assert "Quill" in said
    assert "press F7" in said
    written = settings.read_text()
    assert written.startswith('{\n    "hooks": {"asked": [{"command": "beep"}')
    assert list(json.loads(written)["hooks"]) == ["asked", "opened", "ran", "answered"]
    assert "wrappers/quill.sh" in written
    installer(copy, "--uninstall", "--harness", "quill")
    assert settings.read_text() == OTHERS


@pytest.mark.neo4j
def test_its_payloads_reach_the_graph_and_its_prompts_get_a_block(
    copy, settings, graph, configured_home, tmp_path
):
    name_person(configured_home, "ada")
    installer(copy, "--yes", "--harness", "quill")
    checkout = make_checkout(tmp_path / "billing")
    thread = {"thread": "t-1", "dir": str(checkout)}

    def run(kind: str, **more: Any) -> list[str]:
        return run_hooks(settings, thread | {"kind": kind} | more, checkout)

    try:
        (configured_home / "worker.starting").touch()  # no worker comes: nothing is known yet
        nothing = '{"margin":[]}\n'
        assert run("opened", how="new") == [nothing, nothing]
        assert run("asked", say="Find the double charge.") == [nothing, nothing]
        ran = {"tool": "shell", "with": {"command": "pytest -q"}, "gave": {"code": 0, "out": "ok"}}
        assert run("ran", **ran) == [nothing]
        assert run("answered", reply="It was a missing lock.", mood="calm") == [nothing]
        copy.run("drain", "--timeout", "60")
        rows, _, _ = graph.execute_query(
            "MATCH (s:Session {client: 'quill', session_id: 't-1'})-[:FIRST_EVENT]->(first)-[:NEXT*0..]->(e) "
            "RETURN e {.*} AS event, s.cwd AS cwd ORDER BY e.seq"
        )
        events = [row["event"] for row in rows]
        assert [(event["event_name"], event["client_event"]) for event in events] == [
            ("SessionStart", "opened"),
            ("UserPromptSubmit", "asked"),
            ("PostToolUse", "ran"),
            ("Stop", "answered"),
        ]
        assert {row["cwd"] for row in rows} == {str(checkout)}
        assert events[1]["prompt"] == "Find the double charge."
        assert (events[2]["outcome_status"], events[2]["exit_status"]) == ("passed", 0)
        assert json.loads(events[3]["details"]) == {"mood": "calm"}

        (tmp_path / "notes/tools/bash").mkdir(parents=True)
        note = PINS / "notes/tools/bash/common-flags.md"
        shutil.copy(note, tmp_path / "notes/tools/bash")
        copy.run("import", str(tmp_path / "notes"))
        (configured_home / "worker.starting").unlink()
        copy.run("worker", "start")
        [block] = json.loads(run("asked", say=ASKED)[1])["margin"]
        assert FLAGS in block
        thread["thread"] = "t-2"
        [begun] = json.loads(run("opened", how="new")[1])["margin"]
        assert "tools/bash/common-flags.md" in begun
        copy.run("worker", "stop")
        (configured_home / "worker.starting").touch()
        thread["thread"] = "t-3"
        assert json.loads(run("opened", how="new")[1])["margin"], "from the disk, without a worker"
        assert run("opened", how="continued")[1] == nothing
    finally:
        copy.run("worker", "stop")


def test_no_room_but_the_harnesses_own_names_one():
    found = {
        name
        for name in product_files()
        if not name.startswith(("wrappers/", "dreamhook/harness/"))
        and not name.startswith("dreamhook/recall/words/")
        and CLIENT_NAMES.search((ROOT / name).read_text(encoding="utf-8"))
    }
    assert found == set(NAMED_ON_PURPOSE)


def test_every_harness_offers_what_the_protocol_lists():
    from dreamhook import harness

    offered = {name for name in vars(harness.Harness) if not name.startswith("_")}
    wanted = offered | set(harness.Harness.__annotations__)
    for one in harness.every():
        assert not [name for name in wanted if not hasattr(one, name)], one.CLIENT
