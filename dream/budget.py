"""What a dream may spend and has spent: calls, tokens, time, and an estimate of the cost."""

import time
from dataclasses import dataclass, field
from typing import Any

from dreamhook.config import DreamConfig

PRICED = "2026-11-29"
PRICES = {
    "claude-fable-5": (10.0, 50.0),
    "claude-opus-5-5": (4.0, 20.0),
    "claude-opus-5": (5.0, 25.0),
    "claude-opus-4-5": (5.0, 25.0),
    "claude-sonnet-5": (2.0, 10.0),
    "claude-sonnet-4": (3.0, 15.0),
    "claude-haiku-4-5": (1.0, 5.0),
}
"""USD per million tokens in and out, by how the model's name begins (the longest that fits), as published on
PRICED. A model that is not here has its tokens told and no cost."""
CACHE_WRITE = 1.25
CACHE_READ = 0.1
BATCH = 0.5
CHARACTERS = 3
"""Per token, cautiously: English has about 3.5, other scripts fewer."""
ANSWER = 3_000
"""Tokens an answer is expected to take."""


@dataclass
class Usage:
    """Spent so far, or by one call."""

    calls: int = 0
    input_tokens: int = 0
    """Cached ones included."""
    output_tokens: int = 0
    cache_write_tokens: int = 0
    cache_read_tokens: int = 0

    def add(self, spent: dict[str, Any]) -> None:
        """`spent`: the `usage` of a reply, in the Messages API's form."""
        write = int(spent.get("cache_creation_input_tokens") or 0)
        read = int(spent.get("cache_read_input_tokens") or 0)
        self.input_tokens += int(spent.get("input_tokens") or 0) + write + read
        self.output_tokens += int(spent.get("output_tokens") or 0)
        self.cache_write_tokens += write
        self.cache_read_tokens += read

    def since(self, before: "Usage") -> "Usage":
        return Usage(**{name: value - getattr(before, name) for name, value in vars(self).items()})

    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


@dataclass
class Budget:
    """What is left to this run. `today`: tokens spent by earlier runs of this UTC day."""

    limits: DreamConfig
    today: int = 0
    begun: float = field(default_factory=time.monotonic)

    def refuses(self, used: Usage, request: dict[str, Any]) -> str:
        """Why this request is not made now; empty: go on."""
        wanted = used.tokens() + estimate(request)
        if used.calls >= self.limits.calls_per_run:
            return f"the run's {self.limits.calls_per_run} calls are used up"
        if time.monotonic() - self.begun > self.limits.minutes_per_run * 60:
            return f"the run's {self.limits.minutes_per_run:g} minutes are over"
        if wanted > self.limits.tokens_per_run:
            return f"the run's {self.limits.tokens_per_run:,} tokens would not be enough"
        if self.today + wanted > self.limits.tokens_per_day:
            return (
                f"the day's {self.limits.tokens_per_day:,} tokens would not be enough "
                f"({self.today:,} were used before)"
            )
        return ""


def estimate(request: dict[str, Any]) -> int:
    """Tokens that a request is likely to cost, in and out."""
    parts = [
        *request["system"],
        *(part for message in request["messages"] for part in message["content"]),
    ]
    return sum(len(part["text"]) for part in parts) // CHARACTERS + ANSWER


def cost(model: str, used: Usage, *, batch: bool = False) -> float | None:
    """USD, estimated; None for a model without a known price."""
    names = [name for name in PRICES if model.startswith(name)]
    if not names:
        return None
    price_in, price_out = PRICES[max(names, key=len)]
    plain = used.input_tokens - used.cache_write_tokens - used.cache_read_tokens
    weighted = plain + CACHE_WRITE * used.cache_write_tokens + CACHE_READ * used.cache_read_tokens
    return (weighted * price_in + used.output_tokens * price_out) / 1e6 * (BATCH if batch else 1)


def told(model: str, used: Usage, *, batch: bool = False) -> str:
    """E.g. "2 calls, 71,204 tokens in, 1,890 out, about $0.16"."""
    calls = "1 call" if used.calls == 1 else f"{used.calls} calls"
    price = cost(model, used, batch=batch)
    money = f", about ${price:.2f}" if price is not None else f" (no price known for {model})"
    return f"{calls}, {used.input_tokens:,} tokens in, {used.output_tokens:,} out{money}"
