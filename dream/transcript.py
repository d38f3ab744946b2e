"""One event as text for the model: what matters in full, what is long by its head and tail, the rest not at all."""

from collections.abc import Mapping
from typing import Any

from dreamhook import harness
from dreamhook.record.trim import OWN_BLOCK

PROMPT = 6_000
ANSWER = 4_000
FAILURE = 1_600
INPUT = 400
OUTPUT = 500
TASK = 600
"""Characters kept of each kind of text."""
LOOKING = harness.named("LOOKING_TOOLS")
"""Tools that only look: what they found is in the files, so their output is left out."""
TOLD = (
    "UserPromptSubmit Stop SubagentStop AssistantMessage StopFailure PostToolUse PostToolUseFailure SubagentStart "
    "PermissionDenied Interrupt"
).split()
"""The events that `tell` has something to say about."""
COUNTS = ("passed", "failed", "errors", "skipped")
OWN_PROMPT = "<dreamhook-dream>"
"""How our own request begins: a dream that a harness recorded must not be dreamed."""
OWN_TOOLS = "mcp__dreamhook"
"""Recalled memory must not become new memory."""


def tell(event: Mapping[str, Any]) -> tuple[str, str] | None:
    """(who did what, text) of an event's properties; None for one that says nothing worth keeping."""
    name = event["event_name"]
    if name == "UserPromptSubmit":
        if _text(event, "prompt").startswith(OWN_PROMPT):
            return None
        who = "user" if is_own_words(event) else f"prompt ({event.get('source') or 'subagent'})"
        return _told(who, clip(_text(event, "prompt"), PROMPT))
    if name in ("Stop", "SubagentStop", "AssistantMessage", "StopFailure"):
        return _told(
            "agent", clip(_text(event, "assistant_text") or _text(event, "message"), ANSWER)
        )
    if name in ("PostToolUse", "PostToolUseFailure"):
        return _tool(event)
    if name == "SubagentStart":
        return _told("subagent's task", clip(_text(event, "message"), TASK))
    if name == "PermissionDenied":
        return f"permission denied for {_text(event, 'tool_name')}", clip(
            _text(event, "tool_input"), INPUT
        )
    if name == "Interrupt":
        return "the user interrupted", ""
    return None


def is_own_words(event: Mapping[str, Any]) -> bool:
    """Whether this is what the person typed: not a subagent's task, and no program's prompt."""
    return (
        event["event_name"] == "UserPromptSubmit"
        and not event.get("source")
        and not event.get("agent_id")
        and not event.get("parent_session_id")
    )


def who(event: Mapping[str, Any]) -> str:
    """Whose words an event holds: `user`, `prompt` (a program's), `agent`, `result` (a recorded outcome) or `tool`."""
    name = event["event_name"]
    if name == "UserPromptSubmit":
        return "user" if is_own_words(event) else "prompt"
    if name in ("PostToolUse", "PostToolUseFailure"):
        return "result" if event.get("outcome_status") in ("passed", "failed") else "tool"
    return "prompt" if name == "SubagentStart" else "agent"


def clip(text: str, limit: int) -> str:
    """Head and tail of a long text: an error's cause stands in one or the other."""
    if len(text) <= limit:
        return text
    head = limit * 2 // 3
    return f"{text[:head]}\n[… {len(text) - limit} characters left out …]\n{text[head - limit :]}"


def _tool(event: Mapping[str, Any]) -> tuple[str, str]:
    name = _text(event, "tool_name") or "?"
    status = event.get("exit_status")
    failed = (
        event["event_name"] == "PostToolUseFailure"
        or event.get("failed")
        or status not in (None, 0)
    )
    given = clip(_text(event, "tool_input"), FAILURE // 2 if failed else INPUT)
    result = _result(event)
    if failed:
        what = clip(
            "\n".join(filter(None, (_text(event, "error"), _text(event, "tool_response")))), FAILURE
        )
        return f"tool {name} FAILED" + (
            f" (exit {status})" if status is not None else ""
        ), f"{given}\n→ {what}{result}"
    if name in LOOKING or name.startswith(OWN_TOOLS):
        return f"tool {name}", given
    answer = clip(_text(event, "tool_response"), OUTPUT)
    return f"tool {name}", (f"{given}\n→ {answer}" if answer else given) + result


def _result(event: Mapping[str, Any]) -> str:
    """What capture itself read from a test's, build's or check's output: it outranks what anyone says of it."""
    kind, status = event.get("outcome_kind"), event.get("outcome_status")
    if not kind or status not in ("passed", "failed"):
        return ""
    counts = [
        f"{event[f'outcome_{name}']} {name}"
        for name in COUNTS
        if event.get(f"outcome_{name}") is not None
    ]
    return f"\nrecorded result: {kind} {status}" + (f" ({', '.join(counts)})" if counts else "")


def _told(who: str, text: str) -> tuple[str, str] | None:
    return (who, text) if text else None


def _text(event: Mapping[str, Any], name: str) -> str:
    return OWN_BLOCK.sub("", str(event.get(name) or "")).strip()
