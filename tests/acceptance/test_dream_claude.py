"""A dream through the real `claude` program: no tool, no hook, no session left, and the answer applied."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.harnesses import CLIS, Lab, make_lab, make_project, processes, require_harnesses, run
from tests.lab.product import dreamhook, leave, make_dreamhook_home, query
from tests.lab.stub_model import StubModel, offered_tools, text_of

pytestmark = [pytest.mark.harness, pytest.mark.neo4j]

STATED = "Always run the migrations before the tests of the billing service."


@pytest.fixture
def lab(tmp_path: Path, configured_home: Path) -> Iterator[Lab]:
    require_harnesses()
    home = make_dreamhook_home(configured_home, tmp_path / "dreamhook")
    with StubModel() as model:
        path = f"{CLIS}/node_modules/.bin{os.pathsep}{os.environ['PATH']}"
        lab = make_lab(tmp_path.resolve(), home, model, PATH=path)
        yield lab
        leave(lab)


def test_a_dream_through_claude_fires_no_hook_offers_no_tool_and_leaves_no_session(
    lab: Lab,
) -> None:
    run(lab, "claude_code", make_project(lab, "billing"), STATED, {"say": "Understood."})
    dreamhook(lab, "drain")
    sessions = lab.home / ".claude/projects"
    before = sorted(str(file) for file in sessions.rglob("*.jsonl"))
    assert before  # the session above is there, so one of the dream's would be too
    [counted] = query(lab, "MATCH (e:Event) RETURN count(e) AS events")
    change = {
        "why": "stated",
        "action": "create",
        "path": "project/tests.md",
        "read_version": 0,
        "kind": "rule",
        "title": "Tests",
        "description": "Migrations come first",
        "cues": ["tests fail"],
        "body": STATED,
        "evidence": ["E1"],
        "review_by": "2027-01-01",
    }
    settled = [{"session": "S1", "why": "a rule", "outcome": "used"}]
    answer = json.dumps({"reasoning": "", "sessions": settled, "changes": [change]})
    lab.model.play({"answer": lambda body: answer if STATED in text_of([body]) else "ok"})

    told = json.loads(dreamhook(lab, "dream", "--now", "--backend", "claude", "--json"))

    assert [one["path"] for one in told["parts"][0]["changes"]] == ["project/tests.md"]
    assert (told["usage"]["calls"], told["usage"]["input_tokens"] > 0) == (1, True)
    asked = [body for body in lab.model.requests if STATED in text_of([body])]
    assert [offered_tools(body) for body in asked] == [[]]
    assert "You consolidate what happened in coding sessions" in text_of(asked)
    assert sorted(str(file) for file in sessions.rglob("*.jsonl")) == before
    dreamhook(lab, "drain")
    assert query(lab, "MATCH (e:Event) RETURN count(e) AS events") == [counted]
    assert not [
        command for command in processes(lab).values() if "claude" in command and " -p" in command
    ]


def test_auto_asks_claude_only_when_the_person_allowed_it(lab: Lab) -> None:
    run(lab, "claude_code", make_project(lab, "billing"), STATED, {"say": "Understood."})
    lab.model.play({"answer": lambda _: json.dumps({"sessions": [], "changes": []})})
    with pytest.raises(AssertionError, match="claude_cli = true"):
        dreamhook(lab, "dream", "--now", ANTHROPIC_API_KEY="")
    assert shutil.which("claude", path=lab.env["PATH"])
    with (lab.dreamhook_home / "config.toml").open("a", encoding="utf-8") as config:
        config.write("\n[dream]\nclaude_cli = true\n")
    told = dreamhook(
        lab, "dream", "--now", ANTHROPIC_API_KEY="", ANTHROPIC_AUTH_TOKEN="a-login-of-the-lab"
    )
    assert "by claude" in told
    assert any(STATED in text_of([body]) for body in lab.model.requests)
