"""The call to Claude: one request, at most one repair, and every way it can fail as one clear line."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anthropic
from anthropic.types import Message

from dream import request as requests
from dream.answer import Answer, Unusable, read

TIMEOUT_S = 600.0
RETRIES = 3
"""By the SDK, with growing pauses and honouring Retry-After: overload, rate limit, lost connection."""


class DreamError(Exception):
    """This part of the dream failed; the message is one line for a person."""


class NoAccess(DreamError):
    """The API does not let us in; asking again for another part is useless."""


class TooLong(DreamError):
    """The answer did not fit: ask about less."""


@dataclass
class Usage:
    """Spent so far."""

    calls: int = 0
    input_tokens: int = 0
    """Cached ones included."""
    output_tokens: int = 0


def api_key(api_key_file: str) -> str:
    """ANTHROPIC_API_KEY, else the file's content. NoAccess when neither is there."""
    key = os.environ.get("ANTHROPIC_API_KEY", "").strip()
    if not key:
        try:
            key = Path(api_key_file).expanduser().read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            key = ""
    if not key:
        raise NoAccess(
            f"no key for Claude: set ANTHROPIC_API_KEY, or put the key into {api_key_file}; "
            "nothing was changed, the new events wait for the next dream"
        )
    return key


def client(key: str) -> anthropic.Anthropic:
    """The SDK's client; ANTHROPIC_BASE_URL is honoured by the SDK."""
    return anthropic.Anthropic(api_key=key, timeout=TIMEOUT_S, max_retries=RETRIES)


def ask(claude: anthropic.Anthropic, request: dict[str, Any], usage: Usage) -> Answer:
    """The answer, after at most one repair. Raises DreamError; adds what was spent to `usage`."""
    try:
        return read(_call(claude, request, usage))
    except Unusable as first:
        try:
            return read(_call(claude, requests.repair(request, str(first)), usage))
        except Unusable as second:
            raise DreamError(f"Claude's answer could not be used, twice: {second}") from second


def _call(claude: anthropic.Anthropic, request: dict[str, Any], usage: Usage) -> str:
    usage.calls += 1
    try:
        message: Message = claude.messages.create(**request)
    except anthropic.APITimeoutError as error:
        raise DreamError(f"Claude did not answer within {TIMEOUT_S:.0f} s, {RETRIES + 1} times") from error
    except anthropic.APIConnectionError as error:
        raise NoAccess(f"Claude cannot be reached at {claude.base_url}: {error.__cause__ or error}") from error
    except (anthropic.AuthenticationError, anthropic.PermissionDeniedError, anthropic.NotFoundError) as error:
        raise NoAccess(f"the API refused ({error.status_code}): {_said(error)}") from error
    except anthropic.RateLimitError as error:
        raise DreamError(f"the rate limit was still reached after {RETRIES} retries: {_said(error)}") from error
    except anthropic.APIStatusError as error:
        raise DreamError(f"the API answered {error.status_code}: {_said(error)}") from error
    except anthropic.APIError as error:
        raise Unusable(f"the reply was no message ({error})") from error
    if not isinstance(getattr(message, "content", None), list):  # the SDK does not check what it was sent
        raise Unusable("the reply was no message")
    _count(message, usage)
    if message.stop_reason == "refusal":
        raise DreamError("Claude declined to answer this part")
    if message.stop_reason in ("max_tokens", "model_context_window_exceeded"):
        raise TooLong(f"Claude's answer was cut off at {request['max_tokens']} tokens")
    tool = next((block.input for block in message.content if block.type == "tool_use"), None)
    if tool is not None:  # gateways answer a schema so, for models without structured output
        return json.dumps(tool)
    return "".join(block.text for block in message.content if block.type == "text")


def _count(message: Message, usage: Usage) -> None:
    spent = message.usage
    cached = (spent.cache_creation_input_tokens or 0) + (spent.cache_read_input_tokens or 0)
    usage.input_tokens += spent.input_tokens + cached
    usage.output_tokens += spent.output_tokens


def _said(error: anthropic.APIStatusError) -> str:
    """The API's own message on one line."""
    body = error.body if isinstance(error.body, dict) else {}
    inner = body.get("error") if isinstance(body.get("error"), dict) else {}
    return " ".join(str((inner or {}).get("message") or error.message).split())[:300]
