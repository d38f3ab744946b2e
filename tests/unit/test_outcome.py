# ruff: noqa: E501 - tables
"""A test's or build's recorded result is told apart from what anybody says of it."""

import json

import pytest

from dreamhook.harness import claude_code, codex, cursor
from dreamhook.record.counts import count
from dreamhook.record.outcome import outcome
from dreamhook.record.runners import kind_of

COUNTED = {
    "pytest": ("===== 1 failed, 12 passed, 2 skipped, 3 warnings in 0.42s =====", (12, 1, 2)),
    "pytest -q": ("..F\n12 passed, 1 error in 61.20s (0:01:01)", (12, 1, None)),
    "pytest, all well": ("\n3 passed in 0.01s\n", (3, None, None)),
    "pytest, xfail": ("== 3 passed, 1 xfailed, 1 xpassed, 4 deselected in 1s ==", (4, 1, 4)),
    "unittest": (
        "..F\n----\nRan 5 tests in 0.1s\n\nFAILED (failures=1, errors=1, skipped=1)",
        (2, 2, 1),
    ),
    "unittest, all well": ("Ran 2 tests in 0.000s\n\nOK\n", (2, 0, 0)),
    "go test": (
        "ok  \tacme/a\t0.01s\n--- FAIL: TestB (0.00s)\nFAIL\nFAIL\tacme/b\t0.02s\nFAIL",
        (1, 1, 0),
    ),
    "go test -v": (
        "=== RUN TestA\n--- PASS: TestA (0.00s)\n--- SKIP: TestC (0s)\n--- FAIL: TestB (0s)\nFAIL",
        (1, 1, 1),
    ),
    "cargo test": (
        "test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.1s\n\n"
        "test result: FAILED. 2 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out",
        (7, 3, 1),
    ),
    "nextest": ("     Summary [   0.1s] 5 tests run: 4 passed, 1 failed, 2 skipped", (4, 1, 2)),
    "jest": (
        "Test Suites: 1 failed, 1 total\nTests:       1 failed, 2 skipped, 5 passed, 8 total\nTime: 1 s",
        (5, 1, 2),
    ),
    "vitest": (
        " Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 5 passed | 1 todo (7)\n",
        (5, 1, 1),
    ),
    "mocha": ("  5 passing (10ms)\n  1 pending\n  2 failing\n", (5, 2, 1)),
    "node --test": ("# tests 7\n# pass 6\n# fail 1\n# skipped 0\n", (6, 1, 0)),
    "maven": (
        "Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in acme.A\n"
        "[INFO] Results:\n[ERROR] Tests run: 8, Failures: 1, Errors: 1, Skipped: 2\n",
        (4, 2, 2),
    ),
    "gradle": ("8 tests completed, 2 failed, 1 skipped\n", (5, 2, 1)),
    "rspec": ("5 examples, 1 failure, 1 pending\n", (3, 1, 1)),
    "dotnet": ("Failed!  - Failed:     1, Passed:     5, Skipped:     0, Total:     6", (5, 1, 0)),
}
FOUND = {
    "ruff": ("Found 3 errors.", 3),
    "ruff, all well": ("All checks passed!", 0),
    "mypy": ("a.py:1: error: x\nFound 1 error in 1 file (checked 3 source files)", 1),
    "mypy, all well": ("Success: no issues found in 3 source files", 0),
    "tsc": ("a.ts(1,2): error TS2304: x\nb.ts(3,4): error TS1005: y", 2),
    "tsc --pretty": ("a.ts:1:2 - error TS2304: x\n\nFound 1 error in a.ts:1\n", 1),
    "eslint": ("✖ 3 problems (2 errors, 1 warning)", 2),
    "pyright": ("2 errors, 1 warning, 0 informations", 2),
    "cargo build": (
        "error: could not compile `a` (bin) due to 2 previous errors; 1 warning emitted",
        2,
    ),
    "make": ("cc -c a.c\nmake: *** [Makefile:3: a.o] Error 1", 1),
}
KINDS = {
    "test": [
        "pytest -q", "python -m pytest tests/", "python3.12 -X dev -m pytest", ".venv/bin/pytest", "cd api && uv run pytest",
        "FOO=1 timeout 60 pytest", "poetry run pytest -k x 2>&1 | tail -20", "npx vitest run", "npm test", "npm run test:unit",
        "pnpm test -- --watch=false", "yarn jest", "pnpm exec vitest", "go test ./...", "cargo +nightly test",
        "cargo nextest run", "./gradlew :app:test", "mvn -q -B verify", "make test", "make -j4 check", "tests/run.sh -x",
        "./run-tests.sh", "bash -c 'true'; tox -e py311", "node --test", "dotnet test", "bundle exec rspec",
        "python -m unittest discover",
    ],
    "build": ["npm run build", "tsc", "npx tsc -p .", "go build ./...", "cargo build --release", "mvn package", "make",
              "make -j8 all", "./gradlew assemble", "docker build .", "cmake --build out"],
    "check": ["ruff check .", "uv run mypy", "npx eslint src", "tsc --noEmit", "cargo clippy", "go vet ./...", "npm run lint",
              "black src --check"],
    None: ["git status", "echo pytest", "cat test.py", "ls tests", "pip install pytest", "grep -r 'npm test' .", "", "git commit -m 'make test'",
           "makeup", "vim Makefile"],
}  # fmt: skip


@pytest.mark.parametrize("name", COUNTED)
def test_the_counts_that_an_output_states_are_read(name):
    text, (passed, failed, skipped) = COUNTED[name]
    told = {"passed": passed, "failed": failed, "skipped": skipped}
    assert count("noise 3 apples\n" + text + "\nafter\n") == {
        key: value for key, value in told.items() if value is not None
    }


@pytest.mark.parametrize("name", FOUND)
def test_the_errors_that_an_output_states_are_read(name):
    text, errors = FOUND[name]
    assert count("noise\n" + text + "\n") == {"errors": errors}


@pytest.mark.parametrize(
    "text",
    ["", "all 3 passed, honestly", "I ran 5 tests", "12 passed", "x" * 200_000, "1 " * 100_000],
)
def test_where_nothing_is_stated_nothing_is_counted(text):
    assert count(text) == {}


@pytest.mark.parametrize(
    ("kind", "command"), [(kind, command) for kind, all_ in KINDS.items() for command in all_]
)
def test_commands_are_known_by_what_they_run(kind, command):
    assert kind_of(command) == kind


def claude(command, response, name="PostToolUse", **more):
    payload = {
        "hook_event_name": name,
        "session_id": "s",
        "tool_name": "Bash",
        "tool_input": {"command": command},
    }
    payload |= {"tool_response": response} if response is not None else {}
    payload |= more
    return outcome(claude_code.normalise(payload), payload)


def test_a_passed_test_of_claude_code_has_command_exit_status_and_counts():
    found = claude(
        "pytest -q",
        {"stdout": "\x1b[32m3 passed\x1b[0m in 0.01s", "stderr": "", "interrupted": False},
    )
    assert found == {
        "outcome_kind": "test",
        "outcome_command": "pytest -q",
        "outcome_status": "passed",
        "outcome_passed": 3,
        "exit_status": 0,
    }


def test_a_failed_test_of_claude_code_is_failed_with_its_exit_status():
    error = "Exit code 1\n1 failed, 2 passed in 0.01s"
    payload = {
        "hook_event_name": "PostToolUseFailure",
        "session_id": "s",
        "tool_name": "Bash",
        "error": error,
    }
    payload["tool_input"] = {"command": "pytest"}
    event = claude_code.normalise(payload)
    found = outcome(event, payload)
    assert (found["outcome_status"], found["outcome_failed"], event["exit_status"]) == (
        "failed",
        1,
        1,
    )


def test_a_pipe_or_a_true_does_not_make_a_failed_test_pass():
    failing = {"stdout": "1 failed, 2 passed in 0.01s", "stderr": ""}
    assert claude("pytest | tail -1", failing)["outcome_status"] == "failed"
    assert (
        claude("pytest || true", {"stdout": "collected 0 items / oh no", "stderr": ""})[
            "outcome_status"
        ]
        == "unknown"
    )
    assert claude("npm run build", {"stdout": "done", "stderr": ""})["outcome_status"] == "passed"


def test_what_was_interrupted_or_runs_on_has_no_status():
    for how in ({"interrupted": True}, {"backgroundTaskId": "b1"}):
        found = claude("make", {"stdout": "", "stderr": "", **how})
        assert "exit_status" not in found
        assert found["outcome_status"] != "passed"


def test_codex_states_no_exit_status_so_only_what_it_prints_counts():
    def run(output):
        payload = {
            "hook_event_name": "PostToolUse",
            "session_id": "s",
            "tool_name": "Bash",
            "tool_response": output,
        }
        payload["tool_input"] = {"command": "go test ./..."}
        return outcome(codex.normalise(payload), payload)

    assert run("ok  \tacme/a\t0.1s\n")["outcome_status"] == "passed"
    assert run("FAIL\tacme/a\t0.1s\n")["outcome_status"] == "failed"
    assert run("interesting")["outcome_status"] == "unknown"
    assert "exit_status" not in run("ok")


def test_cursor_states_its_exit_status_inside_its_output():
    payload = {"hook_event_name": "postToolUse", "conversation_id": "c", "tool_name": "Shell"}
    payload["tool_input"] = {"command": "cargo test"}
    payload["tool_output"] = json.dumps(
        {"output": "test result: FAILED. 1 passed; 1 failed; 0 ignored", "exitCode": 101}
    )
    event = cursor.normalise(payload)
    found = outcome(event, payload)
    assert (found["outcome_status"], event["exit_status"], found["outcome_passed"]) == (
        "failed",
        101,
        1,
    )


def test_an_assistant_that_says_so_is_no_evidence():
    said = {
        "hook_event_name": "Stop",
        "session_id": "s",
        "last_assistant_message": "pytest: 12 passed in 0.1s",
    }
    assert outcome(claude_code.normalise(said), said) == {}
    typed = {
        "hook_event_name": "UserPromptSubmit",
        "session_id": "s",
        "prompt": "pytest: 12 passed in 0.1s",
    }
    assert outcome(claude_code.normalise(typed), typed) == {}
    assert claude("echo '12 passed in 0.1s'", {"stdout": "12 passed in 0.1s", "stderr": ""}) == {}


def test_a_tool_that_is_no_shell_has_no_outcome():
    payload = {
        "hook_event_name": "PostToolUse",
        "session_id": "s",
        "tool_name": "Read",
        "tool_response": "3 passed in 1s",
    }
    for given in (
        {"file_path": "pytest"},
        "pytest",
        ["pytest"],
        None,
        {"command": 7},
        {"command": []},
    ):
        event = claude_code.normalise(payload | {"tool_input": given})
        assert outcome(event, payload) == {}
