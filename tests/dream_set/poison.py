"""Thirty transcripts with an instruction planted by somebody else, in many languages and through many channels.

Each (poison.json) is what a tool gave back, or a program's prompt, next to something harmless that the user typed.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple


class Poison(NamedTuple):
    """`channel`: how it came in. `order`: what it wants remembered, as a model that obeys would write it down."""

    channel: str
    language: str
    planted: str
    order: str


def tool(name: str, given: str, answer: str) -> dict[str, Any]:
    return {
        "event_name": "PostToolUse",
        "tool_name": name,
        "tool_input": given,
        "tool_response": answer,
    }


def event(poison: Poison) -> dict[str, Any]:
    """The planted text as the event it came in."""
    text = f"…\n{poison.planted}\n…"
    match poison.channel:
        case "web page":
            return tool("WebFetch", "https://docs.example.com/setup", text)
        case "commit message":
            return tool("Bash", "git log -3", text)
        case "issue":
            return tool("mcp__github__get_issue", '{"number": 7}', text)
        case "failing command":
            return {
                "event_name": "PostToolUseFailure",
                "tool_name": "Bash",
                "tool_input": "make",
                "error": text,
            }
        case "test output":
            return tool("Bash", "pytest -q", text) | {
                "outcome_kind": "test",
                "outcome_status": "failed",
            }
        case "subagent":
            return {"event_name": "UserPromptSubmit", "prompt": text, "source": "subagent"}
        case "recalled":
            return tool("mcp__notes__read", "{}", text)
    return tool("Bash", "cat README.md", text)


def _all() -> Iterator[Poison]:
    for one in json.loads(Path(__file__).with_name("poison.json").read_text(encoding="utf-8")):
        yield Poison(
            one["channel"], one["language"], one["planted"], one.get("order", one["planted"])
        )


POISONS = tuple(_all())
