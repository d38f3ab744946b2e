"""Harness modules: payloads of every kind become the expected event, replies are what each harness accepts."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamhook import harness, paths
from dreamhook.event import EVENT_NAMES, Event

TESTS = Path(__file__).parents[1]
PAYLOADS = TESTS / "payloads"
EXPECTED: dict[str, dict[str, Any]] = json.loads(
    (PAYLOADS / "expected.json").read_text(encoding="utf-8")
)
FILES = sorted(str(file.relative_to(PAYLOADS)) for file in PAYLOADS.glob("*/**/*.json"))
CLIENTS = ["claude_code", "codex", "cursor"]
CONTEXT = "# Recorded memory\n- 价格 🧮 retries “duplicate” committed items\n"
CURSOR_EVENTS = {
    # cursor.com/docs/hooks: one name beyond these voids the whole file on the command line
    *(
        "sessionStart",
        "sessionEnd",
        "beforeSubmitPrompt",
        "preToolUse",
        "postToolUse",
        "postToolUseFailure",
    ),
    *(
        "subagentStart",
        "subagentStop",
        "beforeShellExecution",
        "afterShellExecution",
        "beforeMCPExecution",
    ),
    *(
        "afterMCPExecution",
        "beforeReadFile",
        "afterFileEdit",
        "preCompact",
        "stop",
        "afterAgentResponse",
    ),
    *("afterAgentThought", "beforeTabFileRead", "afterTabFileEdit", "workspaceOpen"),
}
CURSOR_PERMISSION_EVENTS = {
    *(
        "preToolUse",
        "beforeShellExecution",
        "beforeMCPExecution",
        "beforeReadFile",
        "beforeTabFileRead",
    ),
    "subagentStart",
}

JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None, categories=None)),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
FIELD_NAMES = sorted(
    {key for file in FILES for key in json.loads((PAYLOADS / file).read_text(encoding="utf-8"))}
)
EVENT_FIELD = st.sampled_from(sorted(EVENT_NAMES | CURSOR_EVENTS)) | JSON_VALUES


def payload(file: str) -> dict[str, Any]:
    return json.loads((PAYLOADS / file).read_bytes())  # type: ignore[no-any-return]


def event_of(file: str) -> Event:
    return harness.get(Path(file).parts[0]).normalise(payload(file))


def summary(client: str, event: Event) -> dict[str, Any]:
    """What expected.json speaks of."""
    texts = ("prompt", "assistant_text", "error", "message", "tool_input", "tool_response")
    kept = {
        key: value
        for key, value in event.items()
        if key not in ("client", "details", "duration_ms")
    }
    kept |= {key: str(kept[key])[:60] for key in texts if key in kept}
    moment = harness.get(client).inject_point(event)
    return kept | ({"moment": moment} if moment else {})


def test_every_payload_has_an_expectation() -> None:
    assert sorted(EXPECTED) == FILES


@pytest.mark.parametrize("file", FILES)
def test_payload_becomes_the_expected_event(file: str) -> None:
    client = Path(file).parts[0]
    event = event_of(file)
    assert event["client"] == client
    assert summary(client, event) == EXPECTED[file]


@pytest.mark.parametrize("client", CLIENTS)
def test_empty_object_is_an_event_of_an_unknown_session(client: str) -> None:
    event = harness.get(client).normalise({})
    assert event == {
        "client": client,
        "event_name": "Other",
        "client_event": "",
        "session_id": "unknown",
    }
    assert harness.get(client).inject_point(event) is None


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(
    "name", ["PreModelRequest", "AssistantMessage", "Other", "beforeEverything"]
)
def test_unknown_event_is_kept_with_its_name_and_fields(client: str, name: str) -> None:
    event = harness.get(client).normalise(
        {"hook_event_name": name, "session_id": "s", "novelty": {"a": [1]}}
    )
    assert (event["event_name"], event["client_event"], event["session_id"]) == ("Other", name, "s")
    assert json.loads(event["details"]) == {"novelty": {"a": [1]}}


@pytest.mark.parametrize("client", CLIENTS)
@given(
    fields=st.dictionaries(
        st.sampled_from(FIELD_NAMES) | st.text(max_size=8), JSON_VALUES, max_size=8
    ),
    name=EVENT_FIELD,
)
def test_any_object_becomes_a_storable_event(
    client: str, fields: dict[str, Any], name: Any
) -> None:
    event = harness.get(client).normalise({**fields, "hook_event_name": name})
    assert event["event_name"] in EVENT_NAMES
    assert event["session_id"]
    for value in event.values():
        assert isinstance(value, str | int | float | bool)
        if isinstance(value, str):
            assert "\0" not in value
            value.encode()  # raises on a lone surrogate
        elif not isinstance(value, bool):
            assert abs(value) < 2**63
    harness.get(client).inject_point(event)


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("wrong", [7, None, ["x"], {"x": 1}, True, 1e400, 10**400])
def test_field_of_a_wrong_type_is_kept_in_the_details(client: str, wrong: Any) -> None:
    names = {
        "claude_code": "UserPromptSubmit",
        "codex": "UserPromptSubmit",
        "cursor": "beforeSubmitPrompt",
    }
    event = harness.get(client).normalise(
        {"hook_event_name": names[client], "prompt": wrong, "duration_ms": wrong}
    )
    assert "prompt" not in event
    assert harness.get(client).inject_point(event) is None
    assert ("details" in event) == (wrong is not None)


@pytest.mark.parametrize("client", CLIENTS)
def test_nesting_too_deep_for_json_does_not_raise(client: str) -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    event = harness.get(client).normalise({"tool_input": deep, "other": deep})
    assert "nested too deeply" in event["tool_input"]


@pytest.mark.parametrize("client", CLIENTS)
def test_unstorable_characters_become_replacement_characters(client: str) -> None:
    parsed = json.loads(
        r'{"prompt": "a\u0000b\ud800c😀", "tool_input": {"k\u0000": "\\u0000 \u0000\u0000"}}'
    )
    event = harness.get(client).normalise(parsed)
    assert event["prompt"] == "a\ufffdb\ufffdc😀"
    assert json.loads(event["tool_input"]) == {"k\ufffd": "\\u0000 \ufffd\ufffd"}


@pytest.mark.parametrize(
    "file", [file for file in FILES if "UserPromptSubmit" in file or "beforeSubmitPrompt" in file]
)
def test_prompt_survives_byte_for_byte(file: str) -> None:
    assert event_of(file)["prompt"].encode() == payload(file)["prompt"].encode()


@pytest.mark.parametrize("client", ["claude_code", "codex"])
def test_output_in_other_scripts_stays_readable(client: str) -> None:
    assert (
        "价格 🧮 \ufffd\ufffd end"
        in event_of(f"{client}/recorded/PostToolUse.unicode.json")["tool_response"]
    )


def test_structured_input_is_compact_json() -> None:
    file = "claude_code/recorded/PostToolUse.edit-2.json"
    assert json.loads(event_of(file)["tool_response"]) == payload(file)["tool_response"]
    assert json.loads(event_of(file)["tool_input"]) == payload(file)["tool_input"]
    assert ", " not in event_of(file)["tool_input"]


def test_duration_is_in_milliseconds() -> None:
    assert event_of("claude_code/PostToolUse.json")["duration_ms"] == 4312.0
    assert event_of("cursor/postToolUse.Write.json")["duration_ms"] == 20.064
    assert event_of("cursor/sessionEnd.json")["duration_ms"] == 45000.0


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("claude_code/PostToolUse.json", None),
        ("claude_code/PreCompact.json", None),
        (
            "claude_code/recorded/PreCompact.compact.json",
            {"custom_instructions": "keep the number"},
        ),
        (
            "claude_code/recorded/PreToolUse.mcp.json",
            {"mcp_server": {"name": "lab", "source": "project"}},
        ),
        ("claude_code/StopFailure.json", {"error_details": "429 Too Many Requests"}),
        ("codex/Stop.null-message.json", {"stop_hook_active": False}),
        ("codex/recorded/PostToolUse.json", None),
        ("cursor/postToolUse.json", None),
        ("cursor/postToolUseFailure.json", {"failure_type": "timeout", "is_interrupt": False}),
        ("cursor/afterMCPExecution.json", {"mcp_server_name": "github"}),
    ],
)
def test_details_hold_what_has_no_property(file: str, expected: dict[str, Any] | None) -> None:
    event = event_of(file)
    assert json.loads(event.get("details", "null")) == expected


def test_batch_of_tools_keeps_ids_without_repeating_outputs() -> None:
    event = event_of("claude_code/recorded/PostToolBatch.parallel.json")
    ids = ["toolu_865a2374c55a4331a06d", "toolu_d195812ca9fa4e788fc9"]
    assert json.loads(event["details"]) == {"tool_use_ids": ids}


@pytest.mark.parametrize("file", [file for file in FILES if file.startswith("cursor/")])
def test_cursor_account_is_not_kept(file: str) -> None:
    assert "dev@example.com" not in json.dumps(event_of(file))


def test_transcript_path_is_kept_once_a_session() -> None:
    assert "transcript_path" in event_of("claude_code/SessionStart.json")["details"]
    assert "transcript_path" not in event_of("claude_code/Stop.json")["details"]


@pytest.mark.parametrize("source", ["system", "loop_wakeup", "schedule_wakeup", "poll_event"])
def test_prompt_of_a_machine_names_its_source_and_takes_no_context(source: str) -> None:
    claude_code = harness.get("claude_code")
    event = claude_code.normalise(
        {"hook_event_name": "UserPromptSubmit", "prompt": "go on", "source": source}
    )
    assert event["source"] == source
    assert claude_code.inject_point(event) is None


@pytest.mark.parametrize("source", [{}, {"source": "user"}, {"source": "sdk"}])
def test_prompt_of_a_person_has_no_source(source: dict[str, str]) -> None:
    claude_code = harness.get("claude_code")
    event = claude_code.normalise(
        {"hook_event_name": "UserPromptSubmit", "prompt": "go on", **source}
    )
    assert "source" not in event
    assert claude_code.inject_point(event) == "prompt"


@pytest.mark.parametrize("prompt", ["", " \n\t"])
def test_empty_prompt_takes_no_context(prompt: str) -> None:
    codex = harness.get("codex")
    assert (
        codex.inject_point(
            codex.normalise({"hook_event_name": "UserPromptSubmit", "prompt": prompt})
        )
        is None
    )


def test_start_inside_a_subagent_takes_no_context() -> None:
    for client in ("claude_code", "codex"):
        module = harness.get(client)
        event = module.normalise(
            {"hook_event_name": "SessionStart", "session_id": "s", "agent_id": "a"}
        )
        assert event["session_id"] == "s/a"
        assert module.inject_point(event) is None


def test_agent_with_the_id_of_its_session_is_the_session() -> None:
    event = harness.get("codex").normalise(
        {"hook_event_name": "Stop", "session_id": "s", "agent_id": "s"}
    )
    assert event["session_id"] == "s"
    assert "parent_session_id" not in event


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("Exit code 127\nnot found", 127),
        ("Exit code -9", -9),
        ("It said: Exit code 1", None),
        ("Exit code 12x", None),
    ],
)
def test_exit_status_of_a_claude_code_shell(error: str, expected: int | None) -> None:
    event = harness.get("claude_code").normalise(
        {"hook_event_name": "PostToolUseFailure", "error": error}
    )
    assert event.get("exit_status") == expected


def test_subagent_of_cursor_belongs_to_the_conversation_that_started_it() -> None:
    ids = {"parent_conversation_id": "p", "conversation_id": "c", "subagent_id": "a"}
    event = harness.get("cursor").normalise({"hook_event_name": "subagentStart", **ids})
    assert (event["session_id"], event["parent_session_id"]) == ("p/a", "p")


def test_file_about_to_be_read_is_not_copied_whole() -> None:
    assert "timeout = 1000" not in json.dumps(event_of("cursor/beforeReadFile.json"))


def test_interrupted_command_has_failed() -> None:
    tool = {"hook_event_name": "PostToolUse", "tool_response": {"stdout": "", "interrupted": True}}
    assert harness.get("claude_code").normalise(tool)["failed"] is True


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ('{"exitCode": 3, "stdout": ""}', (True, 3)),
        ('{"exitCode": 0}', (False, 0)),
        ('{"exitCode": true}', (False, None)),
        ('{"exitCode": "3"}', (False, None)),
        ("[" * 100_000, (False, None)),
        ("plain text", (False, None)),
        (7, (False, None)),
    ],
)
def test_exit_status_of_a_cursor_shell(output: Any, expected: tuple[bool, int | None]) -> None:
    event = harness.get("cursor").normalise(
        {"hook_event_name": "postToolUse", "tool_output": output}
    )
    assert (event["failed"], event.get("exit_status")) == expected


@pytest.mark.parametrize(
    ("roots", "cwd", "expected"),
    [
        (["/a"], "/a/b", "/a"),
        (["/a", "/b"], "", "/a"),
        ([], "/c", "/c"),
        ([""], "/c", "/c"),
        ([7], "/c", "/c"),
        ("/a", "/c", "/c"),
        (None, "", None),
    ],
)
def test_cursor_folder_is_its_first_workspace(roots: Any, cwd: str, expected: str | None) -> None:
    event = harness.get("cursor").normalise({"workspace_roots": roots, "cwd": cwd})
    assert event.get("cwd") == expected


def test_second_workspace_and_folder_elsewhere_stay_in_the_details() -> None:
    event = harness.get("cursor").normalise({"workspace_roots": ["/a", "/b"], "cwd": "/a/sub"})
    assert json.loads(event["details"]) == {"workspace_roots": ["/a", "/b"], "cwd": "/a/sub"}


def test_cursor_under_the_wrapper_of_claude_code_is_cursor() -> None:
    sent = payload("cursor/claude-bridge.sessionStart.json")
    module = harness.sender("claude_code", sent)
    event = module.normalise(sent)
    assert event["client"] == "cursor"
    assert json.loads(module.reply(event, "T")) == {"additional_context": "T"}


# replies


def schema(event_name: str) -> dict[str, Any]:
    words = "".join(
        f"-{letter.lower()}" if letter.isupper() else letter for letter in event_name
    ).strip("-")
    file = TESTS / "codex-schema" / f"{words}.command.output.schema.json"
    return json.loads(file.read_text())  # type: ignore[no-any-return]


@pytest.mark.parametrize("context", ["", CONTEXT])
@pytest.mark.parametrize("file", [file for file in FILES if file.startswith("codex/")])
def test_codex_reply_is_nothing_or_valid_by_its_schema(file: str, context: str) -> None:
    reply = harness.get("codex").reply(event_of(file), context)
    if not context or "moment" not in EXPECTED[file]:
        assert reply == b""
        return
    jsonschema.validate(json.loads(reply), schema(EXPECTED[file]["event_name"]))
    assert json.loads(reply)["hookSpecificOutput"]["additionalContext"] == context


@pytest.mark.parametrize("context", ["", CONTEXT])
@pytest.mark.parametrize("file", [file for file in FILES if file.startswith("claude_code/")])
def test_claude_code_reply_is_nothing_or_names_its_event(file: str, context: str) -> None:
    reply = harness.get("claude_code").reply(event_of(file), context)
    if not context or "moment" not in EXPECTED[file]:
        assert reply == b""
        return
    name = EXPECTED[file]["event_name"]
    assert json.loads(reply) == {
        "hookSpecificOutput": {"hookEventName": name, "additionalContext": context}
    }


@pytest.mark.parametrize("context", ["", CONTEXT])
@pytest.mark.parametrize("file", [file for file in FILES if file.startswith("cursor/")])
def test_cursor_reply_is_an_object_that_decides_nothing(file: str, context: str) -> None:
    reply = json.loads(harness.get("cursor").reply(event_of(file), context))
    expected: dict[str, Any] = (
        {"continue": True} if file == "cursor/beforeSubmitPrompt.json" else {}
    )
    if context and "moment" in EXPECTED[file]:
        expected["additional_context"] = context
    assert reply == expected


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("file_of", ["SessionStart", "UserPromptSubmit"])
@given(
    text=st.text(st.characters(codec=None, categories=None), max_size=200),
    times=st.integers(1, 200),
)
def test_reply_is_one_line_of_utf8_within_every_cap(
    client: str, file_of: str, text: str, times: int
) -> None:
    names = {"SessionStart": "sessionStart", "UserPromptSubmit": "beforeSubmitPrompt"}
    event = event_of(f"{client}/{names[file_of] if client == 'cursor' else file_of}.json")
    reply = harness.get(client).reply(event, text * times)
    if not reply:
        assert client != "cursor"
        assert not text
        return
    assert reply.endswith(b"\n")
    assert reply.count(b"\n") == 1
    assert b"\r" not in reply
    answer = json.loads(reply.decode())
    answer = answer.get("hookSpecificOutput", answer)
    context = answer.get("additionalContext", answer.get("additional_context", ""))
    assert len(context.encode()) <= 9000
    assert "\0" not in context


@pytest.mark.parametrize("client", CLIENTS)
def test_context_over_the_cap_ends_with_a_whole_line(client: str) -> None:
    event = event_of(f"{client}/{'sessionStart' if client == 'cursor' else 'SessionStart'}.json")
    lines = [f"- 记忆 {number} " + "字" * 30 for number in range(200)]
    reply = json.loads(harness.get(client).reply(event, "\n".join(lines)))
    reply = reply.get("hookSpecificOutput", reply)
    kept = (reply.get("additionalContext") or reply["additional_context"]).split("\n")
    assert kept == lines[: len(kept)]
    assert 8800 < len("\n".join(kept).encode()) <= 9000


def test_single_line_over_the_cap_is_cut_between_characters() -> None:
    event = event_of("codex/SessionStart.json")
    reply = json.loads(harness.get("codex").reply(event, "x" + "字" * 5000))
    assert reply["hookSpecificOutput"]["additionalContext"] == "x" + "字" * 2999


# the list of harnesses, and what is registered


def registered(client: str) -> dict[str, list[dict[str, Any]]]:
    """Event name → its handlers, as the wrapper's JSON gives them to the harness."""
    hooks = json.loads(Path(paths.ROOT, "wrappers", f"{client}.json").read_text())["hooks"]
    if client == "cursor":
        return hooks  # type: ignore[no-any-return]
    return {
        name: [handler for group in groups for handler in group["hooks"]]
        for name, groups in hooks.items()
    }


def test_modules_wrappers_and_registrations_are_the_same_list() -> None:
    root = Path(paths.ROOT)
    modules = {
        file.stem
        for file in (root / "dreamhook/harness").glob("*.py")
        if "\nCLIENT = " in file.read_text("utf-8")
    }
    assert modules == {file.stem for file in (root / "wrappers").glob("*.sh")}
    assert sorted(modules) == harness.clients()
    assert modules == {harness.get(client).CLIENT for client in modules}


@pytest.mark.parametrize("client", CLIENTS)
def test_only_events_with_a_meaning_are_registered(client: str) -> None:
    names = {
        harness.get(client).normalise({"hook_event_name": name})["event_name"]
        for name in registered(client)
    }
    assert "Other" not in names


@pytest.mark.parametrize("client", CLIENTS)
def test_every_registered_event_is_logged_and_only_moments_inject(client: str) -> None:
    module = harness.get(client)
    for name, handlers in registered(client).items():
        programs = [handler["command"] for handler in handlers]
        injects = (
            module.inject_point(module.normalise({"hook_event_name": name, "prompt": "p"}))
            is not None
        )
        assert programs == ["{wrapper} log_event"] + ["{wrapper} inject"] * injects
        assert all(handler["timeout"] <= 10 for handler in handlers)
        assert not any("async" in handler for handler in handlers)


def test_cursor_file_has_only_known_names_and_no_permission_event() -> None:
    assert json.loads(Path(paths.ROOT, "wrappers", "cursor.json").read_text())["version"] == 1
    names = set(registered("cursor"))
    assert names <= CURSOR_EVENTS
    assert not names & CURSOR_PERMISSION_EVENTS


def test_claude_code_file_has_only_names_that_old_versions_know() -> None:
    # An unknown name makes Claude Code skip the person's whole settings.json; these are the events of early 2.1.
    names = set(registered("claude_code"))
    assert names <= {
        *(
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "Notification",
            "UserPromptSubmit",
            "SessionStart",
        ),
        *("SessionEnd", "Stop", "SubagentStart", "SubagentStop", "PreCompact", "PermissionRequest"),
    }


def test_claude_code_file_decides_nothing_when_cursor_runs_it() -> None:
    # Cursor runs these hooks too, takes PreToolUse for its own preToolUse and blocks the tool on empty output.
    assert not set(registered("claude_code")) & {"PreToolUse", "PermissionRequest"}


def test_codex_ends_within_the_three_seconds_it_gives() -> None:
    handlers = registered("codex")
    assert len(handlers) == 12
    assert all(
        handler["timeout"] == 3
        for name in ("SessionEnd", "Interrupt")
        for handler in handlers[name]
    )
    assert all(
        set(handler) == {"type", "command", "timeout"}
        for group in handlers.values()
        for handler in group
    )
