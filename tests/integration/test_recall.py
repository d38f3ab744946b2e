"""What comes back from a real store: the right note, or nothing, and never another scope's."""

import json
from dataclasses import replace

import pytest

from dreamhook import config
from dreamhook.memory.note_file import scope_key
from dreamhook.recall.scopes import permitted
from dreamhook.recall.search import at_start, search
from dreamhook.store import indexes
from dreamhook.store.link import Link
from dreamhook.worker.requests import Recaller

pytestmark = pytest.mark.neo4j
LESSON = "A retried batch sends committed items again; dedupe by item id."


def note(
    graph,
    scope,
    path,
    *,
    owner=None,
    status="current",
    body=LESSON,
    title="Batch retries duplicate items",
    **more,
):
    properties = {
        "scope": scope, "scope_key": scope_key(scope), "path": path, "title": title, "kind": "lesson",
        "description": "Retries of a batch duplicate committed items.", "cues": ["orders processed twice"],
        "content": f"---\ntitle: {title}\n---\n{body}\n", "version": 1, "status": status, "pinned": False,
        "owner": owner or config.load().person, "path_words": path.replace("/", " ").replace("-", " "),
        "review_by": "2027-05-01", "evidence_notes": ["Claude Code session 91ec7bed, 2026-11-29"],
    }  # fmt: skip
    graph.execute_query("CREATE (m:Memory) SET m = $properties", properties=properties | more)


@pytest.fixture
def recaller(graph, configured_home):
    link = Link()
    link.open()
    recaller = Recaller(link, config.load())
    yield recaller
    recaller.teller.settle()
    link.close()


def ask(recaller, project, client="claude_code", **payload):
    base = {"session_id": "s9", "cwd": str(project), "hook_event_name": "UserPromptSubmit"}
    return recaller.answer(client, json.dumps(base | payload).encode()).decode()


def test_a_prompt_about_the_lesson_brings_it(recaller, graph, project, scope):
    note(graph, scope, "project/batch-retries.md")
    reply = json.loads(
        ask(recaller, project, prompt="could duplicate processing of a batch happen here?")
    )
    text = reply["hookSpecificOutput"]["additionalContext"]
    assert LESSON in text
    assert "not instructions" in text
    assert "91ec7bed, 2026-11-29" in text


@pytest.mark.parametrize(
    "prompt", ["change the button spacing on the settings page", "yes", "thanks, go on", ""]
)
def test_a_prompt_about_something_else_brings_nothing(prompt, recaller, graph, project, scope):
    note(graph, scope, "project/batch-retries.md")
    assert ask(recaller, project, prompt=prompt) == ""


def test_notes_of_another_repository_person_or_of_the_past_are_never_seen(
    recaller, graph, project, scope
):
    note(graph, "repo:other-123", "project/batch-retries.md")
    note(graph, "person:somebody", "profile/retries.md", owner="somebody")
    note(graph, scope, "project/theirs.md", owner="somebody")
    note(graph, scope, "project/old.md", status="superseded")
    assert ask(recaller, project, prompt="batch retries duplicate committed items") == ""
    assert ask(recaller, project, hook_event_name="SessionStart", source="startup") == ""


def test_a_note_that_has_expired_is_seen_nowhere_and_one_that_has_not_is(
    recaller, graph, project, scope
):
    note(
        graph,
        scope,
        "project/gone.md",
        body="No longer so.",
        expires="2026-11-30",
        updated_at="2999",
    )
    started = ask(recaller, project, hook_event_name="SessionStart", source="startup")
    assert started == ""
    assert ask(recaller, project, prompt="batch retries duplicate committed items") == ""
    note(graph, scope, "project/holds.md", expires="2999-01-01", updated_at="2999")
    started = ask(
        recaller, project, session_id="s10", hook_event_name="SessionStart", source="startup"
    )
    assert "project/holds.md" in started
    assert "project/gone.md" not in started
    assert LESSON in ask(recaller, project, prompt="batch retries duplicate committed items")
    recaller.teller.settle()
    resumed = ask(
        recaller, project, session_id="s10", hook_event_name="SessionStart", source="resume"
    )
    assert "project/gone.md" not in resumed


@pytest.mark.parametrize(
    "prompt",
    [
        "src/batch/retries.py duplicate items",
        "foo[0] retries batch duplicate",
        "what's (this duplicate batch",
        'AND OR NOT batch retries +duplicate -items && || ! ( ) { } [ ] ^ " ~ * ? : \\ /',
        "batch retries duplicate " * 5000,
    ],
)
def test_any_text_is_a_valid_query(prompt, recaller, graph, project, scope):
    note(graph, scope, "project/batch-retries.md")
    assert LESSON in ask(recaller, project, prompt=prompt)


def test_a_chinese_prompt_finds_a_chinese_note(recaller, graph, project, scope):
    note(
        graph,
        scope,
        "project/zh.md",
        title="批次重试会重复处理订单",
        body="按编号去重。",
        cues=["订单重复处理"],
    )
    assert "按编号去重" in ask(recaller, project, prompt="为什么订单会重复处理？")


@pytest.mark.parametrize(
    ("cue", "prompt"),
    [
        ("バッチの再実行で注文が重複", "注文が重複する原因を調べて"),
        ("モデルの登録", "モデルを登録してください"),
        ("주문 중복 처리", "주문이 중복으로 처리됩니다"),
        ("задание висит в очереди", "задания опять висят в очередях"),
        ("Weiterleitung fehlt für gelöschte Größen", "gelöschte Größe ohne Weiterleitung"),
        ("retryBatch duplicates", "retry_batch creates a duplicate"),
        ("k8s cert expired", "the Kubernetes certificate has expired"),
    ],
)
def test_other_scripts_word_forms_and_spellings_find_their_note(
    cue, prompt, recaller, graph, project, scope
):
    note(graph, scope, "project/x.md", title="Note", description="", body="The answer.", cues=[cue])
    note(
        graph,
        scope,
        "project/y.md",
        title="Note",
        description="",
        body="Not this.",
        cues=["something else"],
    )
    assert "The answer." in ask(recaller, project, prompt=prompt)


def test_with_the_embedding_model_a_note_in_other_words_comes_too(
    graph, configured_home, project, scope
):
    pytest.importorskip("onnxruntime", reason="the extra `semantic` is not installed")
    words = {"title": "A customer charged twice", "description": "", "cues": []}
    note(
        graph,
        scope,
        "project/charges.md",
        body="It charges the card again; use the idempotency key.",
        **words,
    )
    asked = "why was the customer billed two times for the order?"
    link = Link()
    link.open()
    for semantic in (False, True):
        recaller = Recaller(link, replace(config.load(), semantic=semantic))
        ask(recaller, project, session_id=f"s{semantic}", prompt=asked)
        recaller.teller.settle()
        if recaller.teller.closeness:
            recaller.teller.closeness.settle()
        reply = ask(recaller, project, session_id=f"t{semantic}", prompt=asked)
        assert ("idempotency key" in reply) is semantic
        recaller.teller.close()
    link.close()


def test_a_start_brings_profile_whole_and_the_rest_as_a_catalogue(recaller, graph, project, scope):
    me = f"person:{config.load().person}"
    note(graph, me, "profile/role.md", title="Role", body="Backend developer, writes Go.")
    note(graph, scope, "project/batch-retries.md")
    reply = json.loads(
        ask(recaller, project, client="codex", hook_event_name="SessionStart", source="startup")
    )
    text = reply["hookSpecificOutput"]["additionalContext"]
    assert "Backend developer, writes Go." in text
    assert "project/batch-retries.md — Retries of a batch" in text
    assert LESSON not in text


def test_a_resumed_session_is_not_told_again(recaller, graph, project, scope):
    note(graph, scope, "project/batch-retries.md")
    assert ask(recaller, project, hook_event_name="SessionStart", source="resume") == ""
    assert ask(recaller, project, hook_event_name="SessionStart", source="compact") != ""


def test_the_same_store_gives_the_same_bytes(recaller, graph, project, scope):
    for number in range(20):
        note(graph, scope, f"project/{number}.md")
    first = ask(recaller, project, hook_event_name="SessionStart", source="startup")
    assert first == ask(
        recaller, project, hook_event_name="SessionStart", source="startup", session_id="other"
    )


def test_a_secret_that_got_into_a_note_does_not_come_out(recaller, graph, project, scope):
    token = "ghp" + "_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    note(graph, scope, "project/batch-retries.md", body=f"{LESSON} token {token}")
    reply = ask(recaller, project, prompt="batch retries duplicate")
    assert LESSON in reply
    assert token not in reply


def test_without_a_store_a_start_is_answered_from_the_pack(recaller, graph, project, scope):
    note(graph, scope, "project/batch-retries.md")
    told = ask(recaller, project, hook_event_name="SessionStart", source="startup")
    recaller.teller.settle()
    recaller.link.close()
    assert ask(recaller, project, hook_event_name="SessionStart", source="startup") == told
    assert ask(recaller, project, prompt="batch retries duplicate") == ""


def test_a_malformed_note_keeps_no_other_from_being_found(recaller, graph, project, scope):
    note(graph, scope, "project/batch-retries.md")
    odd = {
        "cues": "batch retries duplicate",
        "content": 7,
        "title": True,
        "version": "two",
        "evidence_notes": 1.5,
    }
    note(graph, scope, "project/odd.md", **{"body": ""} | {"review_by": "soon"} | odd)
    graph.execute_query(
        "MATCH (m:Memory {path: 'project/odd.md'}) REMOVE m.description SET m.pinned = 'yes'"
    )
    assert LESSON in ask(recaller, project, prompt="batch retries duplicate committed items")
    assert "project/batch-retries.md" in ask(
        recaller, project, hook_event_name="SessionStart", source="startup"
    )


def test_without_its_index_a_prompt_is_answered_with_nothing_and_a_start_as_ever(
    recaller, graph, project, scope
):
    note(graph, scope, "project/batch-retries.md")
    graph.execute_query("DROP INDEX memory_text")
    try:
        assert ask(recaller, project, prompt="batch retries duplicate committed items") == ""
        assert "batch-retries" in ask(
            recaller, project, hook_event_name="SessionStart", source="startup"
        )
    finally:
        indexes.restore(graph, ["memory_text"])


def test_explaining_a_search_shows_what_did_not_fit(graph, driver, configured_home, project, scope):
    note(graph, scope, "project/batch-retries.md")
    found = search(
        driver,
        "a duplicate button label somewhere in the settings page header",
        permitted(config.load(), str(project)),
    )
    assert [one.judgement.fits for one in found] == [False]
    assert at_start(driver, permitted(config.load(), None), 10) == []
