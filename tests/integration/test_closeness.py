"""Recall by meaning: the real embedding model, its file of vectors, and what happens where either cannot be used."""

import logging
import sqlite3

import pytest

from dreamhook.recall import closeness, embedding, vectors
from dreamhook.recall.closeness import Closeness
from dreamhook.recall.embedding import Embedder, Unusable
from dreamhook.recall.notes import Memory

pytest.importorskip("onnxruntime", reason="the extra `semantic` is not installed")
pytestmark = [pytest.mark.model, pytest.mark.neo4j]
CHARGED = "Two charges for one order when the importer is run again"
BUILD = "The iOS build needs pods from the release branch"


@pytest.fixture(scope="module")
def embedder():
    return Embedder()


@pytest.fixture
def near(configured_home, embedder):
    made = []

    def begin(using=embedder):
        made.append(Closeness(using))
        return made[-1]

    yield begin
    for one in made:
        one.close()


def memory(title, **change):
    fields = {"scope": "repo:a", "path": "project/a.md", "description": "", "version": 1, "review_by": None,
              "evidence_notes": [], "cues": [], "content": f"---\ntitle: x\n---\n{title}."}  # fmt: skip
    return Memory(title=title, **(fields | change))


def test_what_means_the_same_in_other_words_is_nearer_than_what_does_not(near):
    same, other = near().of(
        "the customer was billed twice", [memory(CHARGED), memory(BUILD)], wait=True
    )
    assert same > 0.3 > other


def test_the_nearest_part_of_a_note_counts(near):
    long = "Something about fonts.\n\n" * 3 + "Customers are billed twice after a retry."
    [alone, inside] = near().of(
        "customers are billed twice after a retry",
        [memory("Fonts"), memory("Fonts", content=f"---\ntitle: x\n---\n{long}")],
        wait=True,
    )
    assert inside > 0.9 > alone


def test_a_prompt_does_not_wait_for_vectors_that_are_not_there_yet(near):
    one = near()
    assert one.of("billed twice", [memory(CHARGED)]) == [None]
    one.settle()
    assert one.of("billed twice", [memory(CHARGED)])[0] > 0.3


def test_the_vectors_of_a_text_are_computed_once_and_kept_between_runs(near, embedder):
    near().of("x", [memory(CHARGED)], wait=True)

    texts = []

    class Counting:
        def embed(self, text):
            texts.append(text)
            return embedder.embed(text)

    near(Counting()).of("asked", [memory(CHARGED), memory(CHARGED, version=2)], wait=True)
    assert texts == ["asked"]
    near(Counting()).of("asked", [memory(CHARGED, cues=["billed twice"])], wait=True)
    assert "billed twice" in texts


def test_vectors_of_another_model_are_refused_and_recall_goes_on_without(near, caplog):
    vectors.opened().close()
    with sqlite3.connect(vectors.path()) as file:
        file.execute("UPDATE model SET name = 'other', dimensions = 512")
    file.close()
    with pytest.raises(Unusable, match=r"other \(512 dimensions\).*remove the file"):
        vectors.opened()
    with caplog.at_level(logging.WARNING):
        assert near().of("billed twice", [memory(CHARGED)], wait=True) == [None]
    assert "recall by meaning is off" in caplog.text
    assert CHARGED not in caplog.text


def test_a_text_that_the_model_cannot_take_is_compared_by_its_words_and_the_others_by_meaning(
    near, embedder, caplog
):
    class Choosy:
        def embed(self, text):
            if "fonts" in text:
                raise ValueError(text)
            return embedder.embed(text)

    one = near(Choosy())
    with caplog.at_level(logging.WARNING):
        first, second = one.of("billed twice", [memory("About fonts"), memory(CHARGED)], wait=True)
        assert (first, second > 0.3) == (None, True)
        assert one.of("which fonts?", [memory(CHARGED)]) == [None]
    assert "fonts" not in caplog.text


def test_a_damaged_file_of_vectors_is_refused(configured_home):
    vectors.opened().close()
    vectors.path().write_bytes(b"no database" * 500)
    with pytest.raises(Unusable, match="remove it, and it is made anew"):
        vectors.opened()


def test_another_file_than_the_tested_model_is_not_run(monkeypatch):
    monkeypatch.setattr(embedding, "SHA256", "0" * 64)
    with pytest.raises(Unusable, match="does not hold the model that was tested"):
        Embedder()


def test_a_model_of_other_dimensions_is_refused(monkeypatch):
    monkeypatch.setattr(embedding, "DIMENSIONS", 512)
    with pytest.raises(Unusable, match="384 dimensions instead of 512"):
        Embedder()


def test_without_the_extra_the_reason_says_how_to_get_it(monkeypatch, near, caplog):
    monkeypatch.setattr(embedding, "PACKAGE", "no_such_package_at_all")
    with pytest.raises(Unusable, match=r"\./install.sh --semantic"):
        Embedder()
    assert near(None).of("billed twice", [memory(CHARGED)], wait=True) == [None]


def test_forgetting_leaves_no_vector(near):
    near().of("x", [memory(CHARGED)], wait=True)
    kept = vectors.path().read_bytes()
    with sqlite3.connect(vectors.path()) as file:
        [(parts,)] = file.execute("SELECT parts FROM vectors").fetchall()
    file.close()
    assert parts[:64] in kept
    vectors.forget()
    assert parts[:64] not in vectors.path().read_bytes()
    assert vectors.path().stat().st_mode & 0o077 == 0


def test_forgetting_makes_no_file(configured_home):
    vectors.forget()
    assert not vectors.path().exists()


def test_any_text_has_a_vector(embedder):
    for text in ("", " ", "\0\ud800", "重复处理订单", "x" * 100_000, "a\nb\tc"):
        assert embedder.embed(text[: closeness.PROMPT]).shape == (embedding.DIMENSIONS,)
