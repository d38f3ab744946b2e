"""What is forgotten is gone from everywhere it could be found, the rest is whole, and it stays gone."""

import gzip
import json
import os
import time
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

from dream.dream import main as dream
from dreamhook import config
from dreamhook.cli import cli
from dreamhook.forget import tombstones
from dreamhook.memory import note_versions
from dreamhook.memory.note_file import Evidence, Note
from dreamhook.memory.note_versions import Version
from dreamhook.record.drain import drain_round, turn
from dreamhook.scrub.key import load_key
from dreamhook.spool import writer
from dreamhook.store.query import Store
from tests.dream_world import change, dreamt
from tests.messages_stub import MessagesStub, answer, said

pytestmark = pytest.mark.neo4j
SECRET = "The Swan Contract"
NOW = "2026-11-29T10:00:00+00:00"


@pytest.fixture
def mine(graph, configured_home):
    return configured_home


def happened(session, *texts, folder="/nowhere/shop", **more):
    for number, text in enumerate(texts):
        payload = {
            "session_id": session,
            "cwd": folder,
            "hook_event_name": "UserPromptSubmit",
            "prompt": text,
        }
        writer.put(
            json.dumps(payload | {"prompt_id": f"{number}-{text}"} | more).encode(), "claude_code"
        )


def drain(driver):
    with turn():
        return drain_round(driver, config.load())


def ask(driver, query, **parameters):
    records, _, _ = driver.execute_query(query, **parameters)
    return [record.values() for record in records]


def prompts(driver, session):
    """Along the list, whose ends must be where it begins and ends and whose length must be its count."""
    found = ask(
        driver,
        "MATCH (s:Session {session_id: $id})-[:FIRST_EVENT]->(f) MATCH p = (f)-[:NEXT*0..]->(e) "
        "RETURN e.prompt, s.event_count, NOT EXISTS {(e)-[:NEXT]->()}, EXISTS {(s)-[:LATEST_EVENT]->(e)} "
        "ORDER BY length(p)",
        id=session,
    )
    assert all(row[1] == len(found) for row in found)
    assert (
        [row[2] for row in found]
        == [row[3] for row in found]
        == [False] * (len(found) - 1) + [True] * bool(found)
    )
    return [row[0] for row in found]


def everything(driver):
    """All that the store holds, as one text."""
    nodes = ask(driver, "MATCH (n) RETURN labels(n), properties(n)")
    edges = ask(driver, "MATCH ()-[r]->() RETURN type(r), properties(r)")
    return json.dumps([nodes, edges], ensure_ascii=False, default=str)


def event_id(driver, text):
    [[found]] = ask(driver, "MATCH (e:Event {prompt: $text}) RETURN e.event_id", text=text)
    return found


def note(driver, path, *versions, scope=None, person=None):
    """Write a note's versions, oldest first: (text, event ids it rests on)."""
    person = person or config.load().person
    for number, (text, events) in enumerate(versions):
        evidence = (
            [Evidence(client="claude_code", session="s", date="2026-11-29", events=list(events))]
            if events
            else []
        )
        written = Note(
            "Title", "fact", "What it is about", ["a cue"], person, evidence, "2099-01-01", text
        )
        version = Version(scope or f"person:{person}", path, written, person, None, number)
        with driver.session() as session:
            assert session.execute_write(
                lambda tx, version=version: note_versions.write(tx, version, NOW)
            )


def stored(driver, path):
    return [
        row[0]
        for row in ask(driver, "MATCH (m:Memory {path: $path}) RETURN properties(m)", path=path)
    ]


def versions(driver, path):
    found = ask(
        driver,
        "MATCH p = (:Memory {path: $path})-[:PREVIOUS*]->(v) RETURN v.content ORDER BY length(p)",
        path=path,
    )
    return [row[0] for row in found]


def forget(*words, ok=True):
    done = CliRunner().invoke(cli, ["forget", *words])
    assert (done.exit_code == 0) is ok, done.output
    return done.output


@pytest.mark.parametrize("gone", [{0}, {2}, {4}, {0, 1}, {1, 3}, {3, 4}, {0, 2, 4}, {0, 1, 3, 4}])
def test_the_list_stays_unbroken_wherever_events_are_taken_out(gone, graph, mine):
    happened("s1", *(f"{'drop' if number in gone else 'keep'} {number}" for number in range(5)))
    forget("--match", "drop", "--yes")
    assert prompts(graph, "s1") == [f"keep {number}" for number in range(5) if number not in gone]
    happened("s1", "later")
    drain(graph)
    assert prompts(graph, "s1")[-1] == "later"


def test_a_session_is_forgotten_with_its_subagents_and_what_was_learned_from_it_alone(graph, mine):
    happened("abcdef-1", "only here")
    happened("abcdef-1", "a subagent's task", agent_id="a1")
    happened("other", "kept")
    drain(graph)
    note(graph, "tools/alone.md", ("learned there", [event_id(graph, "only here")]))
    note(
        graph,
        "tools/both.md",
        ("learned twice", [event_id(graph, "only here"), event_id(graph, "kept")]),
    )
    note(graph, "tools/neither.md", ("learned elsewhere", [event_id(graph, "kept")]))
    forget("--session", "abcdef", "--yes")
    assert ask(graph, "MATCH (s:Session) RETURN s.session_id") == [["other"]]
    assert prompts(graph, "other") == ["kept"]
    assert stored(graph, "tools/alone.md") == []
    [both] = stored(graph, "tools/both.md")
    assert both["review_by"] < datetime.now(UTC).date().isoformat()
    assert "forgotten: " in both["content"]
    assert both["content"].count(event_id(graph, "kept")) == 1
    assert stored(graph, "tools/neither.md")[0]["review_by"] == "2099-01-01"
    assert "only here" not in everything(graph)


def test_a_text_is_gone_from_events_notes_versions_and_what_dreams_said(graph, mine):
    happened("s1", f"we lose {SECRET}", "kept", 'say "quoted\nthing" twice')
    tool = {
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_use_id": "t1",
        "tool_input": {"command": "cat x"},
    }
    happened("s1", "x", **tool, tool_response={"stdout": SECRET.upper()})
    drain(graph)
    kept = event_id(graph, "kept")
    note(graph, "tools/old.md", (f"It says {SECRET}.", [kept]), ("It says nothing.", [kept]))
    note(graph, "tools/now.md", ("Nothing.", [kept]), ("About THE swan contract: x.", [kept]))
    note(graph, "tools/the-swan-contract.md", ("Nothing.", [kept]))
    ask(
        graph,
        "MATCH (m:Memory {path: 'tools/now.md'}) "
        "CREATE (:Dream {id: 'd', person: $person, error: $text})-[:WROTE {why: $text}]->(m)",
        person=config.load().person,
        text=f"because of {SECRET}",
    )
    forget("--match", "the swan contract", "--yes")
    assert "swan" not in everything(graph).lower()
    assert prompts(graph, "s1") == ["kept", 'say "quoted\nthing" twice']
    [now] = stored(graph, "tools/now.md")
    assert now["content"].rstrip().endswith("About [forgotten]: x.")
    assert (now["version"], now["review_by"]) == (3, "2099-01-01")
    assert "It says [forgotten]." in versions(graph, "tools/old.md")[0]
    assert stored(graph, "tools/the-swan-contract.md") == []


def test_what_a_dream_only_proposed_goes_too(graph, mine, tmp_path):
    happened("s1", "rests on this")
    happened("s2", "kept", folder=str(tmp_path))
    drain(graph)
    repository = ask(graph, "MATCH (e:Event {prompt: 'kept'}) RETURN e.repository")[0][0]
    for name, properties in {
        "rests": {"scope": "person:x"},
        "about": {"scope": f"repo:{repository}"},
        "says": {"scope": "person:x", "content": f"about {SECRET}"},
        "cues": {"scope": "person:x", "cues": ["other", SECRET]},
        "stays": {"scope": "person:x", "content": "other"},
    }.items():
        ask(
            graph,
            "CREATE (p:Proposal {id: $name, person: $person}) SET p += $properties "
            "WITH p MATCH (e:Event {prompt: 'rests on this'}) WHERE p.id = 'rests' CREATE (p)-[:DERIVED_FROM]->(e)",
            name=name,
            person=config.load().person,
            properties=properties,
        )

    def left():
        return {row[0] for row in ask(graph, "MATCH (p:Proposal) RETURN p.id")}

    forget("--session", "s1", "--yes")
    assert left() == {"about", "says", "cues", "stays"}
    forget("--match", SECRET, "--yes")
    assert left() == {"about", "stays"}
    forget("--repo", str(tmp_path), "--yes")
    assert left() == {"stays"}


def test_a_text_with_quotes_and_lines_is_found_as_json_holds_it(graph, mine):
    happened(
        "s1",
        "kept",
        hook_event_name="PreToolUse",
        tool_name="Bash",
        tool_use_id="t",
        tool_input={"a": 'x "y"\nz'},
    )
    drain(graph)
    forget("--match", 'X "y"\nz', "--yes")
    assert "y" not in str(ask(graph, "MATCH (e:Event) RETURN e.tool_input"))


def test_versions_that_rest_on_what_is_gone_go_and_the_others_stay_in_line(graph, mine):
    happened("s1", "one")
    happened("s2", "two")
    drain(graph)
    one, two = event_id(graph, "one"), event_id(graph, "two")
    note(
        graph,
        "tools/a.md",
        ("first", [two]),
        ("second", [one]),
        ("third", [one, two]),
        ("fourth", [two]),
    )
    forget("--session", "s1", "--yes")
    assert [text.rsplit("\n", 2)[-2] for text in versions(graph, "tools/a.md")] == [
        "third",
        "first",
    ]
    assert one not in everything(graph).replace(json.dumps({"event_id": one})[1:-1], "")


def test_a_repository_is_forgotten_with_its_notes_and_watermark(graph, mine, tmp_path):
    happened("s1", "there", folder=str(tmp_path))
    happened("s2", "kept")
    drain(graph)
    [[repository]] = ask(graph, "MATCH (e:Event {prompt: 'there'}) RETURN e.repository")
    note(graph, "project/by-hand.md", ("I wrote it", []), scope=f"repo:{repository}")
    note(graph, "tools/general.md", ("elsewhere", []))
    ask(
        graph,
        "CREATE (:Watermark {person: $p, repository: $r, seq: 1})",
        p=config.load().person,
        r=repository,
    )
    forget("--repo", str(tmp_path), "--yes")
    assert repository not in everything(graph)
    assert len(stored(graph, "tools/general.md")) == 1
    assert prompts(graph, "s2") == ["kept"]


def test_a_path_is_a_folder_or_a_file_by_its_whole_or_relative_name(graph, mine):
    def touched(session, command, folder):
        happened(session, "x", folder=folder, hook_event_name="PreToolUse", tool_name="Bash", tool_use_id=session,
                 tool_input={"command": command})  # fmt: skip

    touched("in it", "ls", "/p/a/deep")
    touched("whole", "cat /p/a/x.txt", "/q")
    touched("relative", "cat a/x.txt", "/p")
    touched("other folder", "ls", "/p/ab")
    touched("other file", "cat aa/x.txt", "/p")
    forget("--path", "/p/a", "--yes")
    left = ask(graph, "MATCH (s:Session) RETURN s.session_id ORDER BY s.session_id")
    assert left == [["other file"], ["other folder"]]


def test_since_takes_what_came_from_then_on(graph, mine):
    happened("s1", "old")
    drain(graph)
    ask(graph, "MATCH (e:Event) SET e.timestamp = '2020-01-01T00:00:00.000000+00:00'")
    happened("s1", "new")
    forget("--since", "2h", "--yes")
    assert prompts(graph, "s1") == ["old"]
    assert "is no time" in forget("--since", "yesterdayish", "--yes", ok=False)


def test_conditions_are_all_to_be_met_and_the_text_alone_is_meant_only_alone(graph, mine):
    happened("s1", f"{SECRET} one", "other")
    happened("s2", f"{SECRET} two")
    drain(graph)
    note(graph, "tools/a.md", (SECRET, [event_id(graph, f"{SECRET} two")]))
    forget("--session", "s1", "--match", SECRET, "--yes")
    assert (prompts(graph, "s1"), prompts(graph, "s2")) == (["other"], [f"{SECRET} two"])
    assert SECRET in stored(graph, "tools/a.md")[0]["content"]


def test_another_persons_events_and_notes_are_not_touched(graph, mine):
    happened("s1", SECRET)
    drain(graph)
    ask(graph, "MATCH (e:Event) SET e.person = 'somebody'")
    note(graph, "tools/theirs.md", (SECRET, []), person="somebody")
    forget("--match", SECRET, "--yes")
    assert prompts(graph, "s1") == [SECRET]
    assert SECRET in stored(graph, "tools/theirs.md")[0]["content"]


def test_without_yes_it_is_shown_and_nothing_changes(graph, mine):
    happened("s1", SECRET)
    drain(graph)
    note(graph, "tools/a.md", ("from there", [event_id(graph, SECRET)]))
    before = everything(graph)
    shown = forget("--session", "s1")
    assert "1 events of 1 sessions" in shown
    assert "tools/a.md" in shown
    assert "nothing was changed" in shown
    told = json.loads(CliRunner().invoke(cli, ["forget", "--session", "s1", "--json"]).stdout)
    assert (told["events"], told["sessions"][0]["events"], len(told["notes"])) == (1, 1, 1)
    assert everything(graph) == before
    assert "no session" in forget("--session", "nobody", "--yes", ok=False)
    assert "no repository" in forget("--repo", "nobody", "--yes", ok=False)
    assert "say what to forget" in forget("--yes", ok=False)


def test_what_waits_damaged_expired_or_is_kept_for_later_goes_too(graph, mine):
    happened("s1", "in the spool: " + SECRET)
    folder = mine / "spool"
    for name in ("bad", "expired", "tmp"):
        (folder / name).mkdir(exist_ok=True)
    (folder / "bad/00000000000000000001-1").write_text('{"prompt": "the swan contract')
    (folder / "bad/00000000000000000002-1").write_text("other")
    (folder / "expired/00000000000000000003-1.gz").write_bytes(
        gzip.compress(b'{"prompt":"THE SWAN CONTRACT"}')
    )
    (folder / "tmp/00000000000000000004-1").write_text(SECRET)
    long_ago = time.time() - 3600
    os.utime(folder / "tmp/00000000000000000004-1", (long_ago, long_ago))
    (mine / "packs").mkdir()
    (mine / "packs/claude_code-00000000").write_text(SECRET)
    (mine / "log").mkdir(exist_ok=True)
    (mine / "log/dream.log").write_text(f"one\nabout {SECRET}\ntwo\n")
    forget("--match", SECRET, "--yes")
    left = "".join(gzip.decompress(f.read_bytes()).decode() if f.suffix == ".gz" else f.read_text(errors="replace")
                   for f in mine.rglob("*") if f.is_file())  # fmt: skip
    assert "swan" not in left.lower()
    assert (folder / "bad/00000000000000000002-1").exists()
    assert (mine / "log/dream.log").read_text() == "one\ntwo\n"
    assert "swan" not in everything(graph).lower()


def test_what_was_forgotten_does_not_come_back_from_a_late_file(graph, mine):
    happened("s1", SECRET)
    files = {file: file.read_bytes() for file in (mine / "spool/new").iterdir()}
    drain(graph)
    forget("--session", "s1", "--yes")
    for file, content in files.items():
        file.write_bytes(content)
    assert drain(graph).appended == 0
    assert SECRET not in everything(graph)


def test_a_dream_that_is_at_work_loses_its_lease_and_a_forgotten_text_is_known_again(graph, mine):
    happened("s1", SECRET)
    ask(graph, "CREATE (:Lease {name: 'dream', owner: 'a dream', expires_at: 9999999999999})")
    forget("--match", SECRET, "--yes")
    [[owner]] = ask(graph, "MATCH (l:Lease {name: 'dream'}) RETURN l.owner")
    assert owner is None
    known = tombstones.load(graph, config.load().person, load_key(str(mine)))
    assert tombstones.without(known, "About the swan contract again.") == "About [forgotten] again."
    assert tombstones.without(known, "About a swan.") == "About a swan."


def test_the_next_dream_is_not_told_of_it_and_cannot_write_it_down(graph, mine, monkeypatch):
    happened("s1", "the plan of the falcon")
    happened("s2", f"{SECRET} is what we talk about", "something else entirely")
    forget("--session", "s1", "--yes")
    forget("--match", SECRET, "--yes")
    notes = [
        change("tools/again.md", body=f"They keep talking about {SECRET.lower()}, always."),
        change("tools/title.md", title=SECRET, body="Something else, entirely."),
        change("tools/other.md", body="Something else, entirely."),
    ]
    with MessagesStub(answer(dreamt(*notes))) as claude:
        for name, value in claude.environment.items():
            monkeypatch.setenv(name, value)
        assert dream(["--now"]) == 0
    told = "\n".join(said(request) for request in claude.requests)
    assert "something else entirely" in told
    assert "falcon" not in told
    assert "swan" not in told.lower()
    assert [len(stored(graph, f"tools/{name}.md")) for name in ("again", "title", "other")] == [
        0,
        0,
        1,
    ]
    assert "swan" not in everything(graph).lower()


def test_an_interrupted_forgetting_is_finished_by_the_next(graph, mine, monkeypatch):
    from dreamhook.forget import plan as forgetting

    happened("s1", "one", "two", "three")
    drain(graph)
    note(graph, "tools/a.md", ("from there", [event_id(graph, "one"), event_id(graph, "three")]))
    write, calls = Store.write, []

    def fail(store, which, **parameters):
        calls.append(which)
        if which == "forget_events" and calls.count(which) == 2:
            raise KeyboardInterrupt
        return write(store, which, **parameters)

    monkeypatch.setattr(Store, "write", fail)
    monkeypatch.setattr(forgetting, "AT_ONCE", 1)
    forget("--session", "s1", "--yes", ok=False)
    assert prompts(graph, "s1") == ["two", "three"]
    monkeypatch.undo()
    forget("--session", "s1", "--yes")
    assert ask(graph, "MATCH (n) WHERE n:Event OR n:Session OR n:Memory RETURN count(n)") == [[0]]
