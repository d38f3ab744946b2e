"""Recall on the labelled set: floors under what bench/recall.py measures, and no other scope, ever."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench import recall_set
from dreamhook.recall import blocks, search
from dreamhook.recall.events import search_events
from dreamhook.recall.render import Wording
from dreamhook.recall.scopes import Scopes
from dreamhook.record.append import Row, Session, append

pytestmark = pytest.mark.neo4j


@pytest.fixture
def labelled(graph):
    """A store with the whole set."""
    recall_set.write(graph, list(recall_set.versions()))
    return graph


@pytest.fixture(scope="module")
def permitted():
    """Repository → the titles that a session there may see, and those of the person alone under ""."""
    every = [
        one
        for one in recall_set.versions("mixed")
        if one.status == "current" and one.owner == recall_set.PERSON
    ]
    own = {one.note.title for one in every if one.scope.startswith("person:")}
    places = {one.scope.removeprefix("repo:") for one in every if one.scope.startswith("repo:")}
    return {"": own} | {
        where: own | {one.note.title for one in every if one.scope == f"repo:{where}"}
        for where in places
    }


@pytest.mark.parametrize(
    ("of", "floor", "ceiling"), [("mixed", 0.8, 0.09), ("chat", 0.85, 0.2), ("payments", 0.7, 0.25)]
)
def test_the_right_memory_comes_and_where_nothing_fits_nothing_does(labelled, of, floor, ceiling):
    right, false, wrong = recall_set.rates(recall_set.judge(labelled, recall_set.prompts(of)))
    assert right >= floor
    assert false <= ceiling
    assert wrong == 0


def test_what_is_superseded_or_anothers_is_found_by_no_prompt(labelled):
    hidden = [
        one
        for one in recall_set.versions("mixed")
        if one.status != "current" or one.owner != recall_set.PERSON
    ]
    assert len(hidden) == 6
    for one in hidden:
        where = one.scope.removeprefix("repo:")
        for text in (one.note.title, one.note.body, *one.note.cues):
            found = search.search(labelled, text, recall_set.scopes_in(where))
            assert one.note.title not in {each.memory.title for each in found}


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_prompt_makes_another_scopes_text_appear(labelled, permitted, data):
    notes = [one.note for one in recall_set.versions()]
    pieces = st.one_of(
        st.text(max_size=40),
        st.sampled_from([text for note in notes for text in (note.title, note.body, *note.cues)]),
        st.sampled_from(
            [
                ") OR scope_key:*",
                '"',
                "+status:superseded",
                "*:*",
                "scope:repo:infra",
                "\\",
                "AND NOT",
            ]
        ),
    )
    prompt = " ".join(data.draw(st.lists(pieces, min_size=1, max_size=6)))
    where = data.draw(
        st.one_of(st.sampled_from([*"abc", "shop-api", "infra", "shop-api) OR (infra"]), st.text())
    )
    found = search.search(labelled, prompt, recall_set.scopes_in(where))
    assert {one.memory.title for one in found} <= permitted.get(where, permitted[""])


def test_500_large_notes_stay_under_the_cap_and_give_the_same_bytes(graph):
    import dataclasses

    first = next(recall_set.versions())
    large = dataclasses.replace(first.note, body="重复处理 " * 2_000, description="ж" * 300)
    for number in range(500):
        path = f"profile/{number}.md" if number % 3 else f"project/{number}.md"
        recall_set.fill(graph, [dataclasses.replace(first, path=path, note=large)])
    scopes = Scopes((first.scope,), recall_set.PERSON)
    wording = Wording(recall_set.TODAY)
    block, _ = blocks.start_block(search.at_start(graph, scopes, 400), wording)
    assert 1_000 < len(block.encode()) <= 9_000
    assert block == blocks.start_block(search.at_start(graph, scopes, 400), wording)[0]
    given, _ = blocks.prompt_block(blocks.chosen(search.search(graph, "重复处理", scopes)), wording)
    assert 1_000 < len(given) <= 2_000


def test_the_raw_record_is_searched_for_one_person_with_an_answer_beside_its_question(graph):
    for person, text in (("dana", "why does flyway stop?"), ("eli", "flyway again")):
        session = Session(client="codex", session_id=person, parent=None, cwd=None, branch=None, repository="shop-1",
                          repository_name="shop", remote=None, person=person, synthetic=None)  # fmt: skip
        said = [
            ("UserPromptSubmit", "prompt", text),
            ("Stop", "assistant_text", "The checksum of V47 differs, flyway."),
        ]
        rows = [
            Row(event_name=name, timestamp=f"2026-01-01T00:00:0{i}", same=[f"{person}{i}"], properties={
                "event_id": f"{person}{i}", "event_name": name, "client": "codex", "session_id": person,
                "timestamp": f"2026-01-01T00:00:0{i}", "person": person, "repository": "shop-1", key: value})
            for i, (name, key, value) in enumerate(said)
        ]  # fmt: skip
        append(graph, session, rows)
    graph.execute_query("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    hits = search_events(graph, "flyway (checksum", "dana", ["shop-1"])
    assert [hit.event_id for hit in hits] == ["dana1", "dana0"]
    assert search_events(graph, "flyway", "dana", ["other"]) == []
    assert search_events(graph, "yes", "dana", None) == []
