import pytest

from dream.budget import Budget, Usage, cost, told
from dreamhook.config import DreamConfig


def test_the_price_is_that_of_the_longest_name_that_fits() -> None:
    used = Usage(1, 1_000_000, 1_000_000)
    assert cost("claude-opus-5-5-20260901", used) == 24.0
    assert cost("claude-opus-5-20260724", used) == 30.0
    assert cost("claude-sonnet-5-5", used) == 12.0


def test_cached_tokens_and_batches_are_cheaper() -> None:
    used = Usage(1, 1_000_000, 0, cache_write_tokens=0, cache_read_tokens=1_000_000)
    assert cost("claude-sonnet-5", used) == pytest.approx(0.2)
    assert cost("claude-sonnet-5", Usage(1, 1_000_000, 0, 1_000_000, 0)) == pytest.approx(2.5)
    assert cost("claude-sonnet-5", Usage(1, 1_000_000, 0), batch=True) == pytest.approx(1.0)


def test_an_unknown_model_has_its_tokens_told_and_no_price() -> None:
    assert (
        told("gpt-7", Usage(2, 1200, 50))
        == "2 calls, 1,200 tokens in, 50 out (no price known for gpt-7)"
    )


def test_usage_adds_up_what_the_api_tells() -> None:
    used = Usage()
    used.add(
        {
            "input_tokens": 1,
            "cache_creation_input_tokens": 2,
            "cache_read_input_tokens": None,
            "output_tokens": 4,
        }
    )
    assert (used.input_tokens, used.output_tokens, used.cache_write_tokens, used.tokens()) == (
        3,
        4,
        2,
        7,
    )
    assert used.since(Usage(input_tokens=1)).input_tokens == 2


def test_the_first_limit_that_is_reached_is_named() -> None:
    request = {"system": [{"text": "x" * 300}], "messages": [{"content": [{"text": "y" * 600}]}]}
    assert Budget(DreamConfig()).refuses(Usage(), request) == ""
    assert "20 calls" in Budget(DreamConfig()).refuses(Usage(calls=20), request)
    assert "run's 3,299 tokens" in Budget(DreamConfig(tokens_per_run=3_299)).refuses(
        Usage(), request
    )
    assert Budget(DreamConfig(tokens_per_run=3_300)).refuses(Usage(), request) == ""
    assert "day's 4,000" in Budget(DreamConfig(tokens_per_day=4_000), today=1_000).refuses(
        Usage(), request
    )
