"""An installation of the commit before the house (bf519e9) is opened by the code of today, with everything in it.

The old programs come from git history, in a folder of their own beside this checkout; both use one DREAMHOOK_HOME
and one store, and this environment's libraries.
"""

import io
import json
import os
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.checkouts import make_checkout
from tests.dream_world import FOUND, PROJECT, change, dreamt
from tests.messages_stub import MessagesStub, answer, said
from tests.pins.golden import HERE as PINS
from tests.pins.product import Product, give_interpreter, name_person

pytestmark = pytest.mark.neo4j
BEFORE = "bf519e9"
ROOT = Path(__file__).parents[2]
SESSION = "0ld5e551-0000-4000-8000-000000000001"
ASKED = "shell script: which bash flags, set -eu?"
FLAGS = "Every shell script begins with `set -eu`"
FIRST, WAITING, LATER = (
    "Find the double charge.",
    "Waits in the spool.",
    "Now fix the double charge.",
)


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Product:
    """The product as it was, with an interpreter that finds it and the libraries of today."""
    packed = subprocess.run(
        ["git", "-C", ROOT, "archive", "--format=tar", BEFORE], capture_output=True
    )
    if packed.returncode:
        pytest.skip(f"this checkout's git history does not reach back to {BEFORE}")
    root = tmp_path_factory.mktemp("before")
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as files:
        files.extractall(root, filter="data")
    give_interpreter(root)
    return Product(root)


@pytest.fixture
def new() -> Product:
    return Product(ROOT)


@pytest.fixture
def emptied(graph):
    """The store as a server gives it: without our schema, so that the old programs make theirs."""
    for kind, listed in (("CONSTRAINT", "SHOW CONSTRAINTS"), ("INDEX", "SHOW INDEXES")):
        rows, _, _ = graph.execute_query(listed)
        for row in rows:
            if row.data().get("type") != "LOOKUP":
                graph.execute_query(f"DROP {kind} `{row['name']}` IF EXISTS")
    graph.execute_query("MATCH (n) DETACH DELETE n")
    return graph


@pytest.fixture
def installed(emptied, configured_home: Path, new: Product):
    """A home that the old programs were set up in; afterwards the store has the schema of today again."""
    name_person(configured_home, "ada")
    with (configured_home / "config.toml").open("a", encoding="utf-8") as config:
        config.write(f'\n[capture]\nexclude = ["{configured_home.parent}/private/**"]\n')
    yield configured_home
    new.run("drain", "--timeout", "60")
    new.run("worker", "stop")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    return make_checkout(tmp_path / "billing")


def test_what_the_version_before_left_is_found_and_gone_on_with(
    old, new, installed, emptied, checkout, tmp_path
):
    conversation = {"session_id": SESSION, "cwd": str(checkout)}
    start = {"hook_event_name": "SessionStart", "source": "startup"}

    def record(product: Product, text: str, **more: Any) -> None:
        event = {"hook_event_name": "UserPromptSubmit", "prompt": text, "prompt_id": text}
        assert product.hook("claude_code", "log_event", conversation | event | more) == ""

    def recalled(product: Product, prompt: str, session: str) -> str:
        event = {"hook_event_name": "UserPromptSubmit", "prompt": prompt, "session_id": session}
        return product.hook("claude_code", "inject", conversation | event)

    with MessagesStub(answer(dreamt(change()))) as claude:
        old.hook("claude_code", "log_event", conversation | start)
        record(old, FIRST)
        old.run("drain", "--timeout", "60")
        (tmp_path / "notes/tools/bash").mkdir(parents=True)
        flags = tmp_path / "notes/tools/bash/common-flags.md"
        flags.write_bytes((PINS / "notes/tools/bash/common-flags.md").read_bytes())
        old.run("import", str(tmp_path / "notes"))
        old.run("dream", "--now", **claude.environment)
        assert FIRST in said(claude.requests[-1])
        old.run("worker", "start")
        assert FLAGS in recalled(old, ASKED, "told-by-the-old-one")
        started = old.hook("claude_code", "inject", conversation | start | {"session_id": "s2"})
        assert PROJECT in started

        # the new program ends the old worker; what waits was written by the old hook and no worker came for it
        new.run("worker", "stop")
        (installed / "worker.starting").touch()
        record(old, WAITING)
        assert len(os.listdir(installed / "spool/new")) == 1
        served = new.hook(
            "claude_code", "inject", conversation | start | {"session_id": "s3"}, str(checkout)
        )
        assert PROJECT in served, "the start that the old version left on the disk is given"
        (installed / "worker.starting").unlink()

        old.run("pause")
        assert json.loads(new.run("status", "--json"))["capture"]["paused"]
        record(new, "Said while it was paused.")
        new.run("resume")

        private = installed.parent / "private/billing"
        private.mkdir(parents=True)
        record(new, "Said in an excluded folder.", cwd=str(private))
        record(new, LATER)
        new.run("drain", "--timeout", "60")
        assert prompts(emptied) == [FIRST, WAITING, LATER]

        assert {note["path"] for note in json.loads(new.run("memory", "list", "--json"))} == {
            PROJECT,
            "tools/bash/common-flags.md",
        }
        assert FLAGS in recalled(new, ASKED, "a-new-conversation")
        assert FLAGS not in recalled(new, ASKED, "told-by-the-old-one"), "nothing is told twice"

        claude.play(
            answer(
                dreamt(change(action="update", read_version=1, body=f"{FOUND} Fixed by a ledger."))
            )
        )
        told = new.run("dream", "--now", **claude.environment)
        asked = said(claude.requests[-1])
        assert LATER in asked
        assert "Fixed by a ledger." in new.run("memory", "show", PROJECT), told
        new.run("memory", "undo", PROJECT)
        assert "Fixed by a ledger." not in new.run("memory", "show", PROJECT)
        assert len(json.loads(new.run("dream", "log", "--json"))) == 2


def prompts(graph) -> list[str]:
    """What was said in the session, along its list from first to last."""
    records, _, _ = graph.execute_query(
        "MATCH (:Session {session_id: $id})-[:FIRST_EVENT]->(first) MATCH p = (first)-[:NEXT*0..]->(e) "
        "WHERE e.prompt IS NOT NULL RETURN e.prompt AS prompt ORDER BY length(p)",
        id=SESSION,
    )
    return [record["prompt"] for record in records]
