"""Claude through the `claude` program, for who has a subscription and no key.

One process per request, in an empty folder of its own: no tool, no setting, no hook, no MCP server, no session on
disk (seen with Claude Code 2.1.332). DREAMHOOK_OFF is the second line of defence, the prompt's first words the third.
"""

import json
import os
import shutil
import subprocess
import tempfile
from typing import Any

from dream.answer import Unusable
from dream.budget import Usage
from dream.errors import DreamError, NoAccess, Unanswerable

TIMEOUT_S = 900.0


def program() -> str | None:
    return shutil.which("claude")


def complete(claude: str, request: dict[str, Any], usage: Usage) -> str:
    """The text of Claude's answer. `claude`: the program. Raises Unusable and DreamError."""
    usage.calls += 1
    prompt = "\n\n".join(
        part["text"] for message in request["messages"] for part in message["content"]
    )
    prompt += "\n\nAnswer with JSON of this schema and nothing else:\n" + json.dumps(
        request["output_config"]["format"]["schema"], separators=(",", ":")
    )
    with tempfile.TemporaryDirectory(prefix="dreamhook-dream-") as folder:
        try:
            done = subprocess.run(
                command(claude, request),
                input=prompt,
                cwd=folder,
                env=os.environ | {"DREAMHOOK_OFF": "1"},
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=TIMEOUT_S,
            )
        except subprocess.TimeoutExpired as error:
            raise Unanswerable(f"claude did not answer within {TIMEOUT_S:g} s") from error
        except OSError as error:
            raise NoAccess(f"{claude} cannot be started: {error.strerror}") from error
    return read(done.stdout, done.stderr, done.returncode, usage)


def command(claude: str, request: dict[str, Any]) -> list[str]:
    """What is run; the prompt goes to its stdin."""
    system = "\n\n".join(part["text"] for part in request["system"])
    return [
        *(claude, "-p", "--model", request["model"], "--tools", "", "--setting-sources", ""),
        *(
            "--strict-mcp-config",
            "--no-session-persistence",
            "--output-format",
            "json",
            "--system-prompt",
            system,
        ),
    ]


def read(out: str, err: str, status: int, usage: Usage) -> str:
    """The answer in what `claude --output-format json` printed. Raises Unusable and DreamError."""
    try:
        told = json.loads(out)
    except ValueError:
        told = None
    if not isinstance(told, dict):
        line = " ".join((err or out).split())[:300]
        raise NoAccess(f"claude ended with {status}: {line or 'it said nothing'}")
    spent = told.get("usage")
    usage.add(spent if isinstance(spent, dict) else {})
    text = told.get("result")
    if told.get("is_error") or told.get("subtype") != "success":
        line = " ".join(str(text or told.get("subtype")).split())[:300]
        status_code = told.get("api_error_status")
        if status_code in (429, 500, 503, 529):
            raise DreamError(f"claude answered {status_code}: {line}")
        raise NoAccess(f"claude refused: {line}")
    if not isinstance(text, str):
        raise Unusable("the reply was no text")
    return text
