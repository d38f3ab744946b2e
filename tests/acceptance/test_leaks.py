"""Tokens of every kind, in every carrier and field, from every harness, all the way: in none of the places they could
lie or be told — queue, damaged files, logs, graph, the dream's request, the notes it writes, what is injected."""

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dreamhook import config, paths
from dreamhook.memory import note_versions
from dreamhook.memory.note_file import Note
from dreamhook.memory.note_versions import Version
from dreamhook.scrub.rules import RULES
from dreamhook.worker import control
from tests.dream_world import change
from tests.files import there
from tests.messages_stub import MessagesStub, answer
from tests.unit.fake_tokens import fake, parts

pytestmark = pytest.mark.neo4j
PROGRAM = Path(sys.executable).with_name("dreamhook")
SAMPLES = sorted({row[3] for row in RULES})
FIELDS = ("prompt", "tool input", "tool output", "answer")
CLIENTS = ("claude_code", "codex", "cursor")
FILLER = "Nothing to see in this line of output.\n" * 2600
CARRIERS = {
    "bare": "{}",
    "sentence": "please use {} for this",
    "export": "export SOME_NAME='{}'",
    "url": "see https://example.com/path?q={}&page=2 there",
    "header": "X-Thing: {}",
    "json in text": json.dumps({"value": "{}"}).replace("\\", ""),
    "escapes": "{} in escapes",
    "split": "{} split over escapes",
    "in 200 kB": "{}",
}
PRIVATE = "the plan with the swan"
FROM_ENV = "plain-value-of-a-variable"


def field(client, name, text, number):
    """One payload that holds the text in this field."""
    if client == "cursor":
        about = {
            "conversation_id": f"c-{number}",
            "generation_id": f"g{number}",
            "workspace_roots": ["/nowhere/shop"],
        }
        shell = {"tool_name": "Shell"}
        return (
            about
            | {
                "prompt": {"hook_event_name": "beforeSubmitPrompt", "prompt": text},
                "tool input": {
                    "hook_event_name": "preToolUse",
                    **shell,
                    "tool_input": {"command": text},
                },
                "tool output": {
                    "hook_event_name": "postToolUse",
                    **shell,
                    "tool_output": json.dumps({"output": text}),
                },
                "answer": {"hook_event_name": "afterAgentResponse", "text": text},
            }[name]
        )
    tool = {"tool_name": "Bash", "tool_use_id": f"t{number}"}
    result = {"stdout": text, "stderr": ""} if client == "claude_code" else text
    about = {
        "session_id": f"s-{number}",
        "cwd": "/nowhere/shop",
        "prompt_id": f"p{number}",
        "turn_id": f"p{number}",
    }
    return (
        about
        | {
            "prompt": {"hook_event_name": "UserPromptSubmit", "prompt": text},
            "tool input": {
                "hook_event_name": "PreToolUse",
                **tool,
                "tool_input": {"command": text},
            },
            "tool output": {
                "hook_event_name": "PostToolUse",
                **tool,
                "tool_input": {},
                "tool_response": result,
            },
            "answer": {"hook_event_name": "Stop", "last_assistant_message": text},
        }[name]
    )


def raw(client, name, carrier, number):
    """The payload as bytes: every kind of token, each on a line of its own with this carrier around it."""
    tokens = [fake(sample, name) for sample in SAMPLES]
    lines = [
        f"line {at}: an ordinary one\n{CARRIERS[carrier].replace('{}', token)}"
        for at, token in enumerate(tokens)
    ]
    text = "\n".join(lines)
    if carrier == "in 200 kB":
        text = FILLER + text + "\n" + FILLER
    data = json.dumps(field(client, name, text, number), ensure_ascii=False)
    if carrier in ("escapes", "split"):
        step = 1 if carrier == "escapes" else 3
        for token in tokens:
            known = json.dumps(token)[1:-1]
            inner = known if known in data else json.dumps(known)[1:-1]
            hidden = "".join(
                f"\\u{ord(c):04x}" if at % step == 0 else c
                for at, c in enumerate(token)
                if c != "\n"
            )
            data = data.replace(inner, hidden) if "\n" not in token else data
    return data.encode()


def special():
    """Private passages, nested and unclosed, and the content of a file that exists to hold secrets."""
    texts = [
        f"<private>a <private>{PRIVATE}</private> {PRIVATE}</private> after",
        f"before <PRIVATE>{PRIVATE}",
    ]
    payloads = [field("codex", name, text, f"private-{name}") for text in texts for name in FIELDS]
    env = field("claude_code", "tool output", f"A_B={FROM_ENV}\n", "env")
    payloads.append(env | {"tool_name": "Read", "tool_input": {"file_path": "/nowhere/shop/.env"}})
    payloads.append(env | {"tool_input": {"command": "cat .env | sort"}, "tool_use_id": "env2"})
    return [json.dumps(payload).encode() for payload in payloads]


def hook(home, client, data, program="log_event"):
    (home / "worker.starting").touch()  # no worker before we want one
    wrapper = f"{paths.ROOT}/wrappers/{client}.sh"
    done = subprocess.run([wrapper, program], input=data, capture_output=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()


def dreamhook(*words):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def secrets():
    found = {part for sample in SAMPLES for name in FIELDS for part in parts(sample, name)}
    return found | {PRIVATE, FROM_ENV}


def leaks(*texts):
    everything = "\n".join(texts)
    return sorted(part for part in secrets() if part in everything)


def on_disk(home):
    return "\n".join(
        there(home, lambda file: file.read_bytes().decode("utf-8", "replace")).values()
    )


@pytest.fixture
def worker_home(configured_home):
    yield configured_home
    assert control.stop()


def test_a_planted_token_is_really_found_by_this_test():
    """The control: what is searched for is what is planted."""
    for carrier in CARRIERS:
        if carrier not in ("escapes", "split"):
            assert leaks(
                json.dumps(json.loads(raw("codex", "prompt", carrier, 1)), ensure_ascii=False)
            )
    for carrier in ("escapes", "split"):
        planted = json.loads(raw("codex", "prompt", carrier, 1))["prompt"]
        assert fake("ghp_{an36}", "prompt") in planted
        assert fake("ghp_{an36}", "prompt").encode() not in raw("codex", "prompt", carrier, 1)


def test_no_token_is_found_anywhere_it_could_be(graph, worker_home, monkeypatch):
    places = [
        (client, name, carrier) for client in CLIENTS for name in FIELDS for carrier in CARRIERS
    ]
    payloads = [
        (client, raw(client, name, carrier, n)) for n, (client, name, carrier) in enumerate(places)
    ]
    payloads += [("codex", data) for data in special()]
    payloads += [
        ("codex", data[: len(data) * 2 // 3]) for _, data in payloads[:: len(CARRIERS) + 1]
    ]  # no JSON: bad/
    with ThreadPoolExecutor(4) as pool:
        printed = list(pool.map(lambda one: hook(worker_home, *one), payloads))
    assert len(list((worker_home / "spool/new").iterdir())) == len(payloads)
    assert leaks(*printed, on_disk(worker_home)) == []

    dreamhook("drain", "--timeout", "100")
    assert list((worker_home / "spool/bad").iterdir())
    assert leaks(on_disk(worker_home)) == []
    nodes = graph.execute_query(
        "MATCH (n) RETURN labels(n) AS labels, properties(n) AS properties"
    ).records
    stored = json.dumps([node.data() for node in nodes], ensure_ascii=False, default=str)
    assert leaks(stored, stored.replace("\\", "")) == []
    assert stored.count('"Event"') >= len(places) // 2
    assert stored.count("[REDACTED:") > len(SAMPLES)

    said = [fake(sample, "prompt") for sample in SAMPLES]
    note = change(
        "project/rotation.md",
        body="Key rotation uses these: " + " and ".join(said),
        cues=["key rotation"],
    )
    sessions = [{"session": f"S{n}", "why": "w", "outcome": "used"} for n in range(1, 200)]
    with MessagesStub(
        answer({"reasoning": "r", "sessions": sessions, "changes": [note | {"evidence": ["E1"]}]})
    ) as claude:
        for name, value in claude.environment.items():
            monkeypatch.setenv(name, value)
        dreamed = dreamhook("dream", "--now")
        asked = json.dumps(claude.requests, ensure_ascii=False)
    assert "ordinary one" in asked
    assert leaks(dreamed, asked, asked.replace("\\", ""), on_disk(worker_home)) == []

    person = config.load().person
    old = Note(
        "Key rotation",
        "fact",
        "Key rotation of old",
        ["key rotation"],
        person,
        [],
        "",
        "Rotation: " + said[1],
    )
    with graph.session() as session:  # as if an earlier version without this rule had stored it
        version = Version(f"person:{person}", "profile/rotation.md", old, person, None, 0)
        session.execute_write(lambda tx: note_versions.write(tx, version, "2026-11-29T10:00:00Z"))
    graph.execute_query("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    (worker_home / paths.WORKER_STARTING).unlink(missing_ok=True)
    deadline = time.monotonic() + 60
    while (control.start() or {}).get("store") != "connected":
        assert time.monotonic() < deadline
        time.sleep(0.1)
    monkeypatch.setenv("DREAMHOOK_DEADLINE_MS", "20000")
    told = []
    for client in CLIENTS:
        asking = field(client, "prompt", "how does key rotation work?", 1)
        another = (
            {"conversation_id": "c2"} if client == "cursor" else {"session_id": "s2"}
        )  # nothing is told twice
        starting = (
            asking
            | another
            | {"hook_event_name": "sessionStart" if client == "cursor" else "SessionStart"}
        )
        told += [
            hook(worker_home, client, json.dumps(one).encode(), "inject")
            for one in (asking, starting)
        ]
    assert ["rotation" in one.lower() for one in told] == [True] * len(told), told
    assert leaks(*told, on_disk(worker_home)) == []
