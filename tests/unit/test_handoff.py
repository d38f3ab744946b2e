"""What is made of a session's recorded events by rule: files, failures, open requests, and their text."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamhook.recall.handoff import BYTES, CHARACTERS, FILES, INPUT, INPUT_END, Left, left, told

FOLDER = "/home/ada/shop"
PATHS = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp", "Zs"]), min_size=1, max_size=60
)
"""Names that a line can hold, in any script, with quotes and backslashes."""


def row(name, **more):
    fields = dict.fromkeys(
        "prompt assistant_text tool_name tool_input tool_input_end status source branch".split()
    )
    fields |= {
        "client": "cursor",
        "session_id": "s1",
        "event_name": name,
        "timestamp": "2026-11-29T10:00:00",
    }
    return fields | {"cwd": FOLDER, "failed": False, "dreamed": False, "patched": []} | more


def cut(text):
    """As the statement returns a tool's input."""
    return {
        "tool_input": text[:INPUT],
        "tool_input_end": text[-INPUT_END:] if len(text) > INPUT else None,
    }


def used(tool, given, failed=False, **more):
    text = (
        given
        if isinstance(given, str)
        else json.dumps(given, ensure_ascii=False, separators=(",", ":"))
    )
    return row("PostToolUse", tool_name=tool, failed=failed, **cut(text) | more)


def asked(text="go", **more):
    return row("UserPromptSubmit", prompt=text, **more)


def of(*events):
    [one] = left(events[::-1])
    return one


def files(*events):
    return [*of(asked(), *events).files]


@given(
    PATHS,
    st.integers(0, 3 * INPUT),
    st.sampled_from(["file_path", "path", "notebook_path", "target_file"]),
)
def test_the_file_of_an_edit_is_found_however_large_the_edit(path, size, key):
    text = '"file_path": "wrong.py", \\ "path":"wrong.py"\n' + "x" * size
    assert files(used("Write", {key: path, "content": text})) == [path.removeprefix(FOLDER + "/")]
    assert files(used("Write", {"content": text, key: path})) == [path.removeprefix(FOLDER + "/")]


def test_each_kind_of_large_edit_is_told():
    large = "x" * 5_000
    assert files(
        used("Write", {"file_path": "a.py", "content": large}),
        used(
            "MultiEdit",
            {"file_path": "b.py", "edits": [{"old_string": large, "new_string": large}] * 4},
        ),
        used("NotebookEdit", {"notebook_path": "c.ipynb", "new_source": large}),
    ) == ["a.py", "b.py", "c.ipynb"]


def test_an_input_that_the_store_cut_in_its_middle_is_read_too():
    text = '{"file_path":"a.py","content":"x\n[… 70000 characters left out …]\ny"}'
    assert files(used("Write", text)) == ["a.py"]


@given(PATHS, st.integers(1, 9))
def test_half_a_path_is_not_told_as_a_changed_file(path, missing):
    assert files(used("Write", json.dumps({"content": "x", "path": path})[: -1 - missing])) == []


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.integers(1, 9))
def test_half_a_command_is_told_as_far_as_it_is_known(text, missing):
    command = f"make {text}\n😀"
    for script in (True, False):
        whole = json.dumps({"command": command}, ensure_ascii=script)
        [found] = of(asked(), used("Bash", whole[: -1 - missing], True)).failed
        assert command.startswith(found.rstrip("\ud83d"))


def test_a_wrong_escape_does_not_hide_a_path():
    assert files(used("Write", r'{"file_path":"a\q\"b.py","content":"x')) == ['aq"b.py']


@given(st.lists(PATHS, min_size=1, max_size=5, unique=True), st.booleans())
def test_each_file_of_a_patch_is_told(paths, structure):
    heads = ("Update", "Add", "Delete", "Update", "Add")
    parts = [f"*** {head} File: {path}\n@@\n-x\n" for head, path in zip(heads, paths, strict=False)]
    text = "*** Begin Patch\n" + "".join(parts)
    text += "+*** Update File: only-written-about.md\n*** End Patch"
    whole = {"command": text} if structure else text
    written = json.dumps(whole, ensure_ascii=False) if structure else text
    pieces = [piece[:300] for piece in written.split(" File: ")[1 : len(paths) + 1]]
    paths = [path.removeprefix(FOLDER + "/") for path in paths]
    assert files(used("apply_patch", whole)) == paths
    assert files(used("apply_patch", whole, patched=pieces)) == paths


def test_the_text_of_a_file_about_patches_names_no_changed_file():
    text = "*** Begin Patch\n*** Update File: example.py\n"
    for size in (0, 5_000):
        written = used(
            "Write",
            {"file_path": "doc.md", "content": text + "x" * size},
            patched=["example.py\\n"],
        )
        assert files(written) == ["doc.md"]


@pytest.mark.parametrize("tool", ["Edit", "apply_patch"])
def test_an_edit_that_failed_changed_nothing(tool):
    given = (
        {"file_path": "a.py"}
        if tool == "Edit"
        else {"command": "*** Begin Patch\n*** Update File: a.py\n"}
    )
    assert files(used(tool, given, failed=True)) == []
    assert files(used(tool, given), used(tool, given, failed=True)) == ["a.py"]


@pytest.mark.parametrize("size", [10, 3 * INPUT])
def test_a_command_that_failed_is_told_however_long_and_not_once_it_worked(size):
    command = {
        "command": "cat > a <<'EOF'\nsay \"x\"\n" + "y" * size + "\nEOF",
        "description": "write",
    }
    assert (
        of(asked(), used("Bash", command, True))
        .failed[0]
        .startswith("cat > a <<'EOF'\nsay \"x\"\ny")
    )
    assert of(asked(), used("Bash", command, True), used("Bash", command)).failed == []


def test_a_command_that_failed_twice_is_told_once():
    events = [used("Bash", {"command": command}, True) for command in ("a", "b", "a")]
    assert of(asked(), *events).failed == ["b", "a"]


JSON = st.recursive(
    st.text(max_size=9), lambda some: st.lists(some) | st.dictionaries(st.text(max_size=9), some)
)


@given(st.text(max_size=200) | JSON.map(json.dumps))
def test_no_input_of_a_tool_is_an_error(text):
    for tool in ("Write", "Bash", "apply_patch"):
        assert left([used(tool, text, patched=[text]), asked()])


def test_an_input_of_any_depth_is_no_error():
    deep = '{"file_path":"a.py","content":' + "[" * 100_000
    assert files(row("PostToolUse", tool_name="Write", tool_input=deep)) == ["a.py"]


MESSAGE = row("AssistantMessage", assistant_text="I begin.")
TOOL = used("Shell", {"command": "ls"})


@pytest.mark.parametrize(
    ("events", "is_open"),
    [
        ([MESSAGE], False),
        ([TOOL], True),
        ([MESSAGE, TOOL], True),
        ([MESSAGE, TOOL, MESSAGE], False),
        ([MESSAGE, row("Stop", status="completed")], False),
        ([MESSAGE, row("Stop", status="aborted")], True),
        ([MESSAGE, row("Stop", status="error"), row("SessionEnd")], True),
        ([MESSAGE, row("SessionEnd")], False),
        ([MESSAGE, row("Interrupt")], True),
        ([row("Stop"), row("StopFailure", status="error")], True),
    ],
)
def test_a_request_is_open_until_it_was_answered_and_again_after_more_work_or_a_break(
    events, is_open
):
    one = of(asked(), *events)
    assert one.open == is_open
    assert ("unfinished" in told([one])) == is_open


def test_of_a_prompt_that_a_dream_saw_only_what_came_after_is_known():
    assert not of(asked(dreamed=True), row("SessionEnd")).open
    assert of(asked(dreamed=True), TOOL).open
    assert of(asked(dreamed=True), row("Stop", assistant_text="done")).answer == "done"


@pytest.mark.parametrize(
    "event",
    [
        row("AssistantMessage", assistant_text="done"),
        used("Write", {"path": "a"}),
        used("Shell", {"command": "a"}, True),
    ],
)
def test_a_session_without_a_prompt_left_something_if_it_answered_changed_or_failed(event):
    assert left([event])


@pytest.mark.parametrize("event", [row("SessionEnd"), row("Interrupt"), row("Stop"), TOOL])
def test_a_session_that_left_nothing_takes_no_place(event):
    idle = [event | {"session_id": f"idle-{number}"} for number in range(4)]
    assert [one.session_id for one in left([*idle, asked(session_id="s2")])] == ["s2"]


@given(st.lists(PATHS, min_size=1, max_size=40, unique=True))
def test_what_is_shown_of_changed_files_and_the_number_of_the_rest_are_all(paths):
    paths = [f"{number}-{path.replace(',', '')}" for number, path in enumerate(paths)]
    one = Left("cursor", "s1", prompts=["go"], files=dict.fromkeys(paths))
    [line] = [line for line in told([one]).splitlines() if line.startswith("  changed: ")]
    names, _, more = line.removeprefix("  changed: ").partition(", +")
    shown = names.count(", ") + 1
    assert shown + int(more.removesuffix(" more") or 0) == len(paths)
    assert 1 <= shown <= FILES
    assert len(line) <= 420


def test_a_file_is_named_relative_to_the_folder_of_its_session_if_it_lies_there():
    paths = (f"{FOLDER}/src/a.py", f"{FOLDER}-2/b.py", "src/a.py")
    assert files(*(used("Write", {"path": path}) for path in paths)) == [
        f"{FOLDER}-2/b.py",
        "src/a.py",
    ]
    assert files(used("Write", {"path": "/etc/hosts"}, cwd="/")) == ["/etc/hosts"]


@given(
    st.lists(st.text(min_size=1, max_size=900), min_size=1, max_size=5), st.integers(0, 2 * BYTES)
)
def test_the_section_fits_its_room_and_holds_whole_sessions(texts, room):
    some = [Left("codex", f"s{number}", "2026-11-29T10:00", text, [text] * 4, text, {text: None}, [text] * 4, True)
            for number, text in enumerate(texts)]  # fmt: skip
    section = told(some, room)
    assert len(section.encode()) <= min(room, BYTES)
    assert len(section) <= CHARACTERS
    assert section.count("\n- Codex session ") == section.count("\n  unfinished: ")
    assert section == "" or "Codex session s0" in section
    assert told(some, 2_000)  # the first, ever briefer


def test_a_section_without_room_is_none():
    one = Left("codex", "s0", prompts=["go"])
    assert told([one], 0) == told([one], 80) == told([]) == ""
