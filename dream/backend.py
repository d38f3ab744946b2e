"""Which way a request goes to Claude: through the API's SDK, or through the `claude` program."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from dream import api, claude_cli
from dream.budget import Usage
from dream.consolidate import Complete
from dream.errors import NoAccess
from dreamhook.config import Config


@dataclass(frozen=True)
class Backend:
    """`name`: api, batch or claude. `client`: the SDK's, made when first needed; not for `claude`."""

    name: str
    complete: Complete
    client: Callable[[], Any]


def choose(settings: Config, wanted: str, opened: ExitStack) -> Backend:
    """The back end that is asked for and can be used; `opened` closes it. Raises NoAccess with one clear line."""
    key = api.key(settings.api_key_file)
    claude = claude_cli.program()
    if wanted == "claude" or (
        wanted == "auto" and not key and not api.cloud() and claude and settings.dream.claude_cli
    ):
        if not claude:
            raise NoAccess(
                "there is no `claude` on PATH; nothing was changed, the new events wait for the next dream"
            )
        return Backend("claude", partial(claude_cli.complete, claude), _no_client)
    if not key and not api.cloud():
        raise NoAccess(
            f"no key for Claude: set ANTHROPIC_API_KEY, or put the key into {settings.api_key_file}"
            + (", or set `claude_cli = true` under [dream] to use your `claude`" if claude else "")
            + "; nothing was changed, the new events wait for the next dream"
        )
    client = cache(lambda: opened.enter_context(api.client(key)))

    def complete(request: dict[str, Any], usage: Usage) -> str:
        return api.complete(client(), request, usage)

    return Backend("batch" if wanted == "batch" else "api", complete, client)


def none() -> Backend:
    """For what asks nobody."""
    return Backend("files", _ask_nobody, _no_client)


def _ask_nobody(_request: dict[str, Any], _usage: Usage) -> str:
    raise NoAccess("this back end asks nobody")


def _no_client() -> Any:
    raise NoAccess("this back end has no client")
