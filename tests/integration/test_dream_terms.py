"""However much was said, and in whatever script, the question for likely notes is one that the index takes."""

import pytest

from dream.collect import Unit
from dream.context_notes import choose

pytestmark = pytest.mark.neo4j
TEXTS = {
    "English": " ".join(f"word{number}" for number in range(5_000)),
    "Chinese in one run": "".join(chr(0x4E00 + number) for number in range(5_000)),
    "Chinese in words": " ".join(chr(0x4E00 + number) * 3 for number in range(2_000)),
    "Kana": "".join(chr(0x3041 + number % 80) for number in range(3_000)),
    "identifiers": " ".join(f"a_b{number}.c-d{number}" for number in range(900)),
    "Cyrillic": " ".join(f"п{number}рив" for number in range(900)),
    "operators": 'and or not AND OR NOT to_be && || ! ( ) { } [ ] ^ " ~ * ? : \\ /',
}


@pytest.mark.parametrize("script", TEXTS)
def test_any_amount_of_text_makes_a_question_that_the_index_takes(script, graph):
    known = choose(graph, Unit("ada", "r", "r", None), [TEXTS[script]])
    assert (known.full, known.catalogue) == ({}, [])
