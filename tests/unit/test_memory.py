from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dreamhook.memory import note_file
from dreamhook.memory.note_file import InvalidMemory, Note

NOTE = Note(
    title="Batch retries: keep committed items",
    kind="lesson",
    description="When a batch is retried, committed items run twice #billing",
    cues=["duplicate items", "C# : retry"],
    author="ada",
    evidence=[
        {
            "client": "claude_code",
            "session": "91ec7bed-5d1c",
            "date": "2026-11-29",
            "events": ["e1", "e2"],
        }
    ],
    review_by="2027-05-01",
    body="Skip items that are committed.\n\n---\n\nSince version 2.",
    extra={"team": {"name": "blue", "since": 3}},
)
LINES = st.text(
    st.characters(exclude_categories=["C", "Z"], include_characters=" #:'\"-&*!|>%@`{}[]😀"),
    max_size=60,
).map(lambda text: " ".join(text.split()))


def test_a_note_survives_being_written_and_read() -> None:
    assert note_file.parse(note_file.serialise(NOTE)) == NOTE


@example(title="", cue="", extra="\x85")
@given(title=LINES, cue=LINES, extra=st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_any_value_survives_being_written_and_read(title: str, cue: str, extra: str) -> None:
    note = replace(NOTE, title=title, cues=[cue], extra={"mine": extra, "list": [extra]})
    assert note_file.parse(note_file.serialise(note)) == note


def test_values_are_quoted_for_readers_that_cut_at_a_hash_or_colon() -> None:
    written = note_file.serialise(NOTE)
    assert "title: 'Batch retries: keep committed items'\n" in written
    assert "description: 'When a batch is retried, committed items run twice #billing'\n" in written


def test_a_reader_meets_title_and_description_first() -> None:
    assert [line.split(":")[0] for line in note_file.serialise(NOTE).splitlines()[1:3]] == [
        "title",
        "description",
    ]


def test_a_note_keeps_its_script() -> None:
    written = note_file.serialise(replace(NOTE, title="再試行は重複する 😀", body="Повтор"))
    assert "再試行は重複する 😀" in written
    assert "Повтор" in written


def test_a_long_value_stays_on_one_line() -> None:
    assert f"'{'word ' * 99}word'\n" in note_file.serialise(
        replace(NOTE, title="word " * 99 + "word")
    )


def test_keys_that_a_person_added_are_kept() -> None:
    assert note_file.parse("---\ntitle: x\nmine: [1, 2]\n---\nbody").extra == {"mine": [1, 2]}


def test_a_date_written_by_hand_without_quotes_is_read() -> None:
    assert note_file.parse("---\nreview_by: 2027-01-31\n---\nbody").review_by == "2027-01-31"


@pytest.mark.parametrize(
    ("given", "day"), [("2027-01-31", "2027-01-31"), ("'soon'", None), ("[1]", None), ("", None)]
)
def test_a_note_expires_on_a_date_or_never(given: str, day: str | None) -> None:
    assert note_file.expires(note_file.parse(f"---\nexpires: {given}\n---\nbody")) == day


def test_invalid_front_matter_is_an_error_that_names_the_reason() -> None:
    with pytest.raises(InvalidMemory, match="not valid YAML"):
        note_file.parse("---\ntitle: [unclosed\n---\nbody")


def test_the_body_is_read_without_front_matter() -> None:
    assert note_file.body(note_file.serialise(NOTE)) == NOTE.body
    assert note_file.body("no front matter") == "no front matter"


MARKS = pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["", "byte order mark"])
ENDS = pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])


@MARKS
@ENDS
@pytest.mark.parametrize("fence", ["---", "--- ", "----"])
@pytest.mark.parametrize("text", ["", "Text.", "Text.\n\n---\n\nMore.\n"])
def test_front_matter_is_read_however_an_editor_wrote_the_file(
    mark: str, end: str, fence: str, text: str
) -> None:
    file = mark + f"{fence}\ntitle: x\ncues:\n- a b\n- c\n{fence}\n{text}".replace("\n", end)
    note = note_file.parse(file)
    assert (note.title, note.cues, note.extra) == ("x", ["a b", "c"], {})
    assert (note.body, note_file.body(file)) == (text.strip(), text.strip().replace("\n", end))


@MARKS
@ENDS
@pytest.mark.parametrize("text", ["Text.", "\n  Odd   spacing.\n\n---\n\tkept  \n\n"])
@pytest.mark.parametrize("front", ["", "---\ntitle: x\n---\n"])
def test_new_front_matter_leaves_the_text_as_it_is(
    mark: str, end: str, front: str, text: str
) -> None:
    file = mark + (front + text).replace("\n", end)
    written = note_file.with_front_matter(file, NOTE)
    assert note_file.parse(written) == replace(NOTE, body=text.strip())
    assert written.endswith(text.replace("\n", end))
    assert written.startswith(mark + "---")
    assert written.count("\ufeff") == len(mark)
    if front:
        head = written.removesuffix(text.replace("\n", end))
        assert head.count("\n") == head.count(end)


@given(
    st.lists(
        st.sampled_from(["---", "\n", "\r\n", "\ufeff", " ", "-", "x", "title: t"]), max_size=12
    ).map("".join)
)
def test_body_and_front_matter_are_told_apart_in_one_way(file: str) -> None:
    try:
        note = note_file.parse(file)
    except InvalidMemory:
        return
    assert note.body == note_file.body(file).replace("\r\n", "\n")


@pytest.mark.parametrize(
    ("written", "cues"),
    [
        ("one cue", ["one cue"]),
        ("7", ["7"]),
        ("", []),
        ("''", []),
        ("[a, b]", ["a", "b"]),
        ("{a: b}", []),
    ],
)
def test_a_single_cue_need_not_be_a_list(written: str, cues: list[str]) -> None:
    assert note_file.parse(f"---\ncues: {written}\n---\nbody").cues == cues


@pytest.mark.parametrize(
    ("path", "stored"),
    [
        ("project/batch-retries.md", "project/batch-retries.md"),
        ("tools/bash/common-flags.md", "tools/bash/common-flags.md"),
        ("Profile/Role Of Mine.md", "profile/role-of-mine.md"),
        ("project/재시도.md", "project/재시도.md"),
        ("project/cafe\u0301.md", "project/caf\u00e9.md"),
    ],
)
def test_a_path_is_stored_in_one_form(path: str, stored: str) -> None:
    assert note_file.check_path(path) == stored


@pytest.mark.parametrize(
    "path",
    [
        "",
        "project",
        "project.md",
        "project/",
        "project/.md",
        "project/x",
        "project/x.txt",
        "other/x.md",
        "/project/x.md",
        "project//x.md",
        "../project/x.md",
        "project/../profile/x.md",
        "project/..md",
        "project/.hidden.md",
        "project/.git/x.md",
        "project\\x.md",
        "project/a\\b.md",
        "project/a\x00.md",
        "project/a\n.md",
        "project/a\u202e.md",
        "project/a:b.md",
        "C:/project/x.md",
        "~/project/x.md",
        "project/" + "x" * 200 + ".md",
    ],
)
def test_a_path_that_is_none_is_refused(path: str) -> None:
    with pytest.raises(InvalidMemory):
        note_file.check_path(path)


@given(st.text(max_size=40))
def test_no_text_makes_a_path_that_leaves_its_root(text: str) -> None:
    for path in (text, f"project/{text}.md"):
        try:
            stored = note_file.check_path(path)
        except InvalidMemory:
            continue
        assert stored.split("/")[0] in note_file.ROOTS
        assert not any(part in ("", ".", "..") for part in stored.split("/"))
        assert note_file.check_path(stored) == stored


def test_the_root_decides_the_scope() -> None:
    scopes = [
        note_file.scope_of(path, "ada", "api-1")
        for path in ("profile/a.md", "tools/a/b.md", "project/a.md")
    ]
    assert scopes == ["person:ada", "person:ada", "repo:api-1"]


def test_a_scope_key_is_one_lower_case_word_of_its_own() -> None:
    keys = {
        note_file.scope_key(scope)
        for scope in ("person:ada", "repo:ada", "repo:github.com/Acme/api")
    }
    assert len(keys) == 3
    assert all(key.isalnum() and key == key.lower() for key in keys)


def test_a_path_is_also_words() -> None:
    assert note_file.path_words("tools/bash/common-flags.md") == "tools bash common flags"


def test_evidence_names_the_harness_as_people_do() -> None:
    assert note_file.evidence_notes(NOTE.evidence) == ["Claude Code session 91ec7bed, 2026-11-29"]


def test_evidence_of_a_harness_that_is_gone_can_still_be_named() -> None:
    gone = [{**NOTE.evidence[0], "client": "old_agent"}]
    assert note_file.evidence_notes(gone) == ["Old Agent session 91ec7bed, 2026-11-29"]
