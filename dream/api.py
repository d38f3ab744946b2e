"""Claude through the anthropic SDK: one request, and every way it can fail as one clear line.

`ANTHROPIC_BASE_URL` is honoured by the SDK, and so are the settings of Bedrock and Vertex when
`CLAUDE_CODE_USE_BEDROCK=1` or `CLAUDE_CODE_USE_VERTEX=1`, the variables that Claude Code reads, are set.
"""

import json
import os
from pathlib import Path
from typing import Any

import anthropic

from dream.answer import Unusable
from dream.budget import Usage
from dream.errors import DreamError, NoAccess, TooLong, Unanswerable

TIMEOUT_S = 600.0
RETRIES = 3
"""By the SDK, with growing pauses and honouring Retry-After: overload, rate limit, lost connection."""
MONEY = ("credit balance", "billing", "spend limit")
"""A 400 that speaks of these is not about what was asked."""


def key(api_key_file: str) -> str:
    """ANTHROPIC_API_KEY, else the file's content, else nothing."""
    found = os.environ.get("ANTHROPIC_API_KEY", "").strip()
    if found:
        return found
    try:
        return Path(api_key_file).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def cloud() -> str:
    """`bedrock` or `vertex` when the environment asks for it, else nothing."""
    for name in ("bedrock", "vertex"):
        if os.environ.get(f"CLAUDE_CODE_USE_{name.upper()}", "") not in ("", "0", "false"):
            return name
    return ""


def client(api_key: str) -> Any:
    """The SDK's client. Raises NoAccess when a cloud's own packages or credentials are missing."""
    options: dict[str, Any] = {"timeout": TIMEOUT_S, "max_retries": RETRIES}
    try:
        if cloud() == "bedrock":
            return anthropic.AnthropicBedrock(**options)
        if cloud() == "vertex":
            return anthropic.AnthropicVertex(**options)
    except (ImportError, anthropic.AnthropicError, ValueError) as error:
        raise NoAccess(f"{cloud()} cannot be used: {_line(error)}") from error
    return anthropic.Anthropic(api_key=api_key, **options)


def complete(claude: Any, request: dict[str, Any], usage: Usage) -> str:
    """The text of Claude's answer. Raises Unusable and DreamError; adds what was spent to `usage`."""
    usage.calls += 1
    try:
        message = claude.messages.create(**request)
    except anthropic.APITimeoutError as error:
        raise Unanswerable(
            f"Claude did not answer within {TIMEOUT_S:g} s, {RETRIES + 1} times"
        ) from error
    except anthropic.APIError as error:
        raise trouble(claude, error) from error
    return text_of(message, request["max_tokens"], usage)


def trouble(claude: Any, error: anthropic.APIError) -> Exception:
    """The SDK's error as one of ours."""
    if isinstance(error, anthropic.APIConnectionError):
        return NoAccess(
            f"Claude cannot be reached at {claude.base_url}: {error.__cause__ or error}"
        )
    if isinstance(
        error,
        anthropic.AuthenticationError | anthropic.PermissionDeniedError | anthropic.NotFoundError,
    ):
        return NoAccess(f"the API refused ({error.status_code}): {_said(error)}")
    if isinstance(error, anthropic.RateLimitError):
        return DreamError(
            f"the rate limit was still reached after {RETRIES} retries: {_said(error)}"
        )
    if isinstance(error, anthropic.APIStatusError):
        said = f"the API answered {error.status_code}: {_said(error)}"
        if error.status_code in (400, 413, 422):
            return (
                NoAccess(said)
                if any(word in said.lower() for word in MONEY)
                else Unanswerable(said)
            )
        return DreamError(said)
    return Unusable(f"the reply was no message ({error})")


def text_of(message: Any, max_tokens: int, usage: Usage) -> str:
    """The answer in a message of the API. Raises Unusable and DreamError."""
    if not isinstance(
        getattr(message, "content", None), list
    ):  # the SDK does not check what it was sent
        raise Unusable("the reply was no message")
    usage.add(message.usage.model_dump() if message.usage else {})
    if message.stop_reason == "refusal":
        raise Unanswerable("Claude declined to answer this part")
    if message.stop_reason in ("max_tokens", "model_context_window_exceeded"):
        raise TooLong(f"Claude's answer was cut off at {max_tokens} tokens")
    tool = next((block.input for block in message.content if block.type == "tool_use"), None)
    if tool is not None:  # gateways answer a schema so, for models without structured output
        return json.dumps(tool)
    return "".join(block.text for block in message.content if block.type == "text")


def _said(error: anthropic.APIStatusError) -> str:
    """The API's own message on one line."""
    body = error.body if isinstance(error.body, dict) else {}
    inner = body.get("error") if isinstance(body.get("error"), dict) else {}
    return _line((inner or {}).get("message") or error.message)


def _line(value: object) -> str:
    return " ".join(str(value).split())[:300]
