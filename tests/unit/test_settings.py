"""Entries go into settings and come out again; not another character changes."""

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dreamhook.install import entries, json_hooks, json_text, toml_hooks
from dreamhook.install.entries import Refused

WRAPPER = "/here/wrappers/x.sh"
OURS = {WRAPPER}
SAMPLES = Path(__file__).parents[1] / "acceptance" / "settings"
TEXTS = sorted(SAMPLES.glob("*/*.json"))


def sample_name(file: Path) -> str:
    return f"{file.parent.name}-{file.stem}"


def group(command: str) -> dict[str, Any]:
    return {"hooks": [{"type": "command", "command": command, "timeout": 10}]}


FRAGMENT = {
    "hooks": {"SessionStart": [group(f"{WRAPPER} inject")], "Stop": [group(f"{WRAPPER} log_event")]}
}
FLAT = {"version": 1, "hooks": {"stop": [{"command": f"{WRAPPER} log_event"}]}}


def foreign(data: dict[str, Any]) -> dict[str, Any]:
    """The settings without what runs our wrapper."""
    hooks = {
        event: [
            entry
            for entry in listed
            if not any(WRAPPER in handler.get("command", "") for handler in entries.handlers(entry))
        ]
        for event, listed in data.get("hooks", {}).items()
    }
    return data | {"hooks": {event: listed for event, listed in hooks.items() if listed}}


@pytest.mark.parametrize("sample", TEXTS, ids=sample_name)
def test_merging_adds_ours_at_the_end_keeps_all_else_and_can_be_undone(sample: Path) -> None:
    text = sample.read_bytes().decode()
    before = json.loads(text or "{}")

    merged = json_hooks.merge(text, FRAGMENT, OURS)

    after = json.loads(merged)
    for event, groups in FRAGMENT["hooks"].items():
        assert after["hooks"][event] == before.get("hooks", {}).get(event, []) + groups
    assert foreign(after) == foreign(before)
    assert [key for key in after if key in before] == list(before)
    assert json_hooks.merge(merged, FRAGMENT, OURS) == merged
    if text:
        assert json_hooks.strip(merged, OURS, before) == text


@pytest.mark.parametrize(
    "sample", [file for file in TEXTS if file.read_bytes().count(b"\n") > 2], ids=sample_name
)
def test_merging_leaves_every_line_of_the_file_as_it_was(sample: Path) -> None:
    text = sample.read_bytes().decode()

    rest = iter(json_hooks.merge(text, FRAGMENT, OURS).split("\n"))

    # a line may get a comma, a bracket or one of our items at its end, never another beginning
    assert all(any(new.startswith(old.rstrip("\r]},")) for new in rest) for old in text.split("\n"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
HANDLERS = st.lists(st.fixed_dictionaries({"command": st.text(max_size=9)}), min_size=1, max_size=3)
GROUPS = st.lists(
    st.fixed_dictionaries({"hooks": HANDLERS}, optional={"matcher": st.text(max_size=5)}),
    max_size=3,
)
EVENTS = st.dictionaries(st.sampled_from(["SessionStart", "Stop", "Other", "é"]), GROUPS)
SETTINGS = st.dictionaries(
    st.text(max_size=6).filter(lambda key: key not in ("hooks", "version")), JSON, max_size=3
)


@given(
    settings=SETTINGS,
    events=st.none() | EVENTS,
    indent=st.sampled_from([None, 1, 2, 4, "\t"]),
    compact=st.booleans(),
    ascii_only=st.booleans(),
    newline=st.sampled_from(["\n", "\r\n"]),
)
def test_any_settings_come_back_to_the_byte(
    settings: dict[str, Any],
    events: dict[str, Any] | None,
    indent: int | str | None,
    compact: bool,
    ascii_only: bool,
    newline: str,
) -> None:
    data = settings | ({"hooks": events} if events is not None else {})
    separators = (
        (",", ":") if compact and indent is None else (",", ": ") if indent else (", ", ": ")
    )
    text = json.dumps(data, indent=indent, separators=separators, ensure_ascii=ascii_only).replace(
        "\n", newline
    )

    merged = json_hooks.merge(text, FRAGMENT, OURS)

    assert foreign(json.loads(merged)) == foreign(data)
    assert json_hooks.strip(merged, OURS, data) == text


def test_an_older_fragment_is_replaced_where_it_stands() -> None:
    old = {"hooks": {"Stop": [group(f"{WRAPPER} old")], "Gone": [group(f"{WRAPPER} log_event")]}}
    text = json_hooks.merge("{}", old, OURS)
    text = json_text.append(text, ("hooks", "Stop"), group("theirs, later"))

    after = json.loads(json_hooks.merge(text, FRAGMENT, OURS))["hooks"]

    assert after["Stop"] == [group(f"{WRAPPER} log_event"), group("theirs, later")]
    assert "Gone" not in after


def test_an_entry_that_is_there_twice_is_left_once() -> None:
    text = json_hooks.merge("{}", FRAGMENT, OURS)
    text = json_text.append(text, ("hooks", "Stop"), FRAGMENT["hooks"]["Stop"][0])

    assert json.loads(json_hooks.merge(text, FRAGMENT, OURS)) == FRAGMENT


def test_our_handler_in_a_group_of_theirs_goes_and_theirs_stays() -> None:
    theirs = {"type": "command", "command": "theirs"}
    mixed = {
        "matcher": "x",
        "hooks": [theirs, {"type": "command", "command": f"'{WRAPPER}' log_event"}, theirs],
    }
    text = json.dumps({"hooks": {"Stop": [mixed]}})

    merged = json.loads(json_hooks.merge(text, FRAGMENT, OURS))["hooks"]
    stripped = json.loads(json_hooks.strip(text, OURS, {}))

    assert merged["Stop"] == [
        {"matcher": "x", "hooks": [theirs, theirs]},
        *FRAGMENT["hooks"]["Stop"],
    ]
    assert stripped == {"hooks": {"Stop": [{"matcher": "x", "hooks": [theirs, theirs]}]}}


@pytest.mark.parametrize(
    "command",
    [
        "/there/here/wrappers/x.sh log_event",
        "/here/wrappers/x.shadow",
        "echo /here/wrappers/x.sh2",
        "'unbalanced",
        "",
    ],
)
def test_a_path_that_only_resembles_ours_is_theirs(command: str) -> None:
    assert not entries.is_own({"command": command}, OURS)


def test_the_version_cursor_asks_for_comes_and_goes_with_us() -> None:
    merged = json_hooks.merge("", FLAT, OURS)

    assert json.loads(merged) == FLAT
    assert json.loads(json_hooks.strip(merged, OURS, {})) == {}
    assert json.loads(json_hooks.strip(merged, OURS, {"version": 1})) == {"version": 1}


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ('{\n  "a": 1,\n}', 3, "not valid JSON"),
        ('{\n  // mine\n  "a": 1\n}', 2, "not valid JSON"),
        ('{"a": NaN}', 1, "not valid JSON"),
        ("[]", 1, "top level"),
        ('"text"', 1, "top level"),
        ('{\n  "hooks": []\n}', 2, "not an object"),
        ('{\n  "hooks": {\n    "Stop": {}\n  }\n}', 3, "not a list"),
        ('{\n"version": "1"}', 2, "not a number"),
        ("[" * 100_000, None, "nested|not valid JSON"),
    ],
)
def test_what_cannot_be_extended_is_refused_with_its_line(
    text: str, line: int | None, reason: str
) -> None:
    with pytest.raises(Refused, match=reason) as refusal:
        json_hooks.merge(text, FRAGMENT, OURS)
    assert line is None or refusal.value.line == line


def test_a_doubled_key_is_refused_or_edited_where_parsers_look() -> None:
    text = '{"hooks": {"Stop": []}, "hooks": {"Other": []}}'

    merged = json_hooks.merge(text, FRAGMENT, OURS)

    assert json.loads(merged)["hooks"] == {"Other": []} | FRAGMENT["hooks"]
    assert '"hooks": {"Stop": []}, ' in merged


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_tables_are_added_behind_all_others_and_come_out_to_the_byte(newline: str) -> None:
    text = (SAMPLES / "codex" / "config_with_hooks.toml").read_text(encoding="utf-8").replace(
        "\n", newline
    ) + newline
    before = tomllib.loads(text)

    merged = toml_hooks.merge(text, FRAGMENT, OURS)

    after = tomllib.loads(merged)
    assert merged.startswith(text)
    assert after["hooks"]["Stop"] == before["hooks"]["Stop"] + FRAGMENT["hooks"]["Stop"]
    assert after["hooks"]["state"] == before["hooks"]["state"]
    assert merged.count("\n") == merged.count(newline)
    assert toml_hooks.merge(merged, FRAGMENT, OURS) == merged
    assert toml_hooks.strip(merged, OURS) == text


def test_what_is_written_behind_our_tables_stays() -> None:
    merged = toml_hooks.merge("", FRAGMENT, OURS)
    later = '\n# mine\n[[hooks.Stop]]\n# why\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "x"\n[tui]\na = 1\n'

    stripped = toml_hooks.strip(merged + later, OURS)

    assert stripped == later


def test_an_older_table_is_replaced_where_it_stands() -> None:
    old = {"hooks": {"Stop": [group(f"{WRAPPER} old")], "Gone": [group(f"{WRAPPER} log_event")]}}
    later = '\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = "theirs"\n'
    text = toml_hooks.merge("a = 1\n", old, OURS) + later

    after = tomllib.loads(toml_hooks.merge(text, FRAGMENT, OURS))

    assert after["hooks"] == FRAGMENT["hooks"] | {
        "Stop": [*FRAGMENT["hooks"]["Stop"], {"hooks": [{"command": "theirs"}]}]
    }


def test_our_handler_in_their_table_goes_and_theirs_stays() -> None:
    theirs = '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = "theirs"\n'
    ours = f'[[hooks.Stop.hooks]]\ncommand = "{WRAPPER} log_event"\n'

    assert toml_hooks.strip(theirs + ours, OURS) == theirs


INLINE = [
    "hooks.Stop = [{hooks = [{command = 'x'}]}]\n",
    "hooks = {Other = [{hooks = []}]}  # mine\n[tui]\na = 1\n",
    "hooks = {}\n",
    "[hooks]\nStop = [\n  # first\n  {hooks = [{command = 'x'}]},  # why\n  # last\n]\n[tui]\na = 1\n",
]


@pytest.mark.parametrize("text", INLINE)
def test_inline_hooks_are_joined_inline(text: str) -> None:
    merged = toml_hooks.merge(text, FRAGMENT, OURS)

    before, after = tomllib.loads(text), tomllib.loads(merged)
    assert after["hooks"]["Stop"] == before["hooks"].get("Stop", []) + FRAGMENT["hooks"]["Stop"]
    assert foreign(after) == foreign(before)
    assert toml_hooks.merge(merged, FRAGMENT, OURS) == merged
    stripped = toml_hooks.strip(merged, OURS)
    assert tomllib.loads(stripped) == before
    assert [line for line in text.splitlines() if "#" in line] == [
        line for line in stripped.splitlines() if "#" in line
    ]


@pytest.mark.parametrize("text", ["hooks.Stop = 3\n", "[hooks.Stop]\na = 1\n"])
def test_an_event_that_is_no_list_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="cannot be edited safely"):
        toml_hooks.merge(text, FRAGMENT, OURS)


def test_groups_nobody_knows_are_left_alone() -> None:
    text = "hooks.Stop = ['x', {hooks = 3}]\n"

    merged = toml_hooks.merge(text, FRAGMENT, OURS)

    assert tomllib.loads(merged)["hooks"]["Stop"] == ["x", {"hooks": 3}, *FRAGMENT["hooks"]["Stop"]]
    assert toml_hooks.strip(merged, OURS) == text


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=6)
PIECES = st.one_of(
    st.sampled_from(["\n", "# [[hooks.Stop]]\n", "  # mine\n"]),
    st.builds(
        "[[hooks.{}]]\nmatcher = {}\n".format,
        st.sampled_from(["Stop", "Other"]),
        WORDS.map(json.dumps),
    ),
    st.builds(
        '[[ hooks . "{0}" ]]  # group\n# why\n  [[hooks.{0}.hooks]]\n  command = {1}\n\n'.format,
        st.sampled_from(["Stop", "SessionStart"]),
        WORDS.map(lambda word: json.dumps(word, ensure_ascii=False)),
    ),
    st.builds('[t{0}]\nx = """\n[[hooks.Stop]]\n[t]\n"""\n'.format, st.integers(0, 10**6)),
    st.builds('[hooks.state."a:{0}"]\nhash = "{0}"\n'.format, st.integers(0, 10**6)),
)


def is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


@given(
    before=st.lists(PIECES, max_size=6).map("".join),
    behind=st.lists(PIECES, max_size=4).map("".join),
    newline=st.sampled_from(["\n", "\r\n"]),
)
def test_any_toml_loses_our_tables_alone(before: str, behind: str, newline: str) -> None:
    before, behind = before.replace("\n", newline), behind.replace("\n", newline)
    assume(is_toml(before + behind))

    merged = toml_hooks.merge(before, FRAGMENT, OURS)

    assert merged.startswith(before)
    assert foreign_tables(tomllib.loads(merged)) == foreign_tables(tomllib.loads(before))
    assert toml_hooks.merge(merged, FRAGMENT, OURS) == merged
    # what is written later stands behind ours
    assert (
        toml_hooks.strip(merged.replace("\r\n", "\n").replace("\n", newline) + behind, OURS)
        == before + behind
    )


def foreign_tables(data: dict[str, Any]) -> dict[str, Any]:
    """As `foreign`; trust records are no events."""
    hooks = data.get("hooks", {})
    return foreign(data | {"hooks": toml_hooks.events(data)}) | {"state": hooks.get("state")}


def test_without_tomlkit_a_file_that_needs_no_edit_is_read_and_another_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    merged = toml_hooks.merge("a = 1\n", FRAGMENT, OURS)
    for name in [name for name in sys.modules if name.partition(".")[0] == "tomlkit"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "tomlkit", None)

    assert toml_hooks.merge(merged, FRAGMENT, OURS) == merged
    assert toml_hooks.strip("a = 1\n", OURS) == "a = 1\n"
    with pytest.raises(Refused, match="pip' install tomlkit"):
        toml_hooks.strip(merged, OURS)


def test_inline_hooks_of_an_event_we_do_not_want_are_no_hindrance() -> None:
    text = "hooks.Other = [{hooks = [{command = 'x'}]}]\n"

    assert toml_hooks.strip(toml_hooks.merge(text, FRAGMENT, OURS), OURS) == text


def test_malformed_toml_is_refused_with_its_line() -> None:
    with pytest.raises(Refused, match="not valid TOML") as refusal:
        toml_hooks.merge("a = 1\nb = \n", FRAGMENT, OURS)
    assert refusal.value.line == 2
