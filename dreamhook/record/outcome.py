"""What a test, build or check really gave: read from a tool's recorded result, never from what an agent said of it."""

import json
import re
from typing import Any

from dreamhook import harness
from dreamhook.event import Event
from dreamhook.record.counts import ERRORS, count
from dreamhook.record.runners import kind_of

LOOK_AT = 200_000
"""Characters of output, from its end: summaries come last."""
COMMAND = 300
_COLOUR = re.compile(r"\x1b\[[0-9;?]{0,40}[A-Za-z]")
_EXIT = re.compile(
    r"(?:Exit code|exited with code|Process exited with code|exit status)[: ]+(-?\d{1,9})\b", re.I
)


def outcome(event: Event, payload: dict[str, Any]) -> dict[str, Any]:
    """Properties `outcome_kind` (test, build, check), `outcome_command`, `outcome_status` (passed, failed, unknown),
    and where they are stated `outcome_passed`, `outcome_failed`, `outcome_skipped`, `outcome_errors` (counts) and
    `exit_status`. Empty for all else.
    """
    if event["event_name"] not in ("PostToolUse", "PostToolUseFailure"):
        return {}
    command = _command(event.get("tool_input", ""))
    kind = kind_of(command) if command else None
    if kind is None:
        return {}
    text = _COLOUR.sub("", _output(event)[-LOOK_AT:])
    counts = count(text)
    code = _exit_status(event, payload)
    found: dict[str, Any] = {"outcome_kind": kind, "outcome_command": command[:COMMAND]}
    found["outcome_status"] = _status(event, counts, code, command)
    found |= {f"outcome_{name}": number for name, number in counts.items()}
    if code is not None and "exit_status" not in event:
        found["exit_status"] = code
    return found


def _status(event: Event, counts: dict[str, int], code: int | None, command: str) -> str:
    """A pipe or `|| true` hides the exit status of the command that counts, so what was counted comes first."""
    if counts.get("failed") or counts.get(ERRORS) or code or event.get("failed"):
        return "failed"
    if counts.get("passed") or ERRORS in counts:
        return "passed"
    return "passed" if code == 0 and not re.search(r"[|;\n]|&\s*$", command) else "unknown"


def _exit_status(event: Event, payload: dict[str, Any]) -> int | None:
    """Where the harness states it: in the event, in a shape of its own, or in the text of a failure."""
    if "exit_status" in event:
        return event["exit_status"]
    if event["event_name"] == "PostToolUse":
        return harness.get(event["client"]).exit_status(payload)
    stated = _EXIT.search(event.get("error", "")[:400])
    return int(stated[1]) if stated else None


def _command(given: str) -> str:
    """The command in a tool's input: text, or a list of words. Empty when it is no shell's."""
    try:
        value = json.loads(given) if given.startswith("{") else None
    except (ValueError, RecursionError):
        return ""
    command = (value.get("command") or value.get("cmd")) if isinstance(value, dict) else None
    if isinstance(command, list):
        words = [word for word in command if isinstance(word, str)]
        command = (
            words[-1]
            if words[:1] and words[0].rsplit("/", 1)[-1] in ("sh", "bash", "zsh")
            else " ".join(words)
        )
    return command.strip() if isinstance(command, str) else ""


def _output(event: Event) -> str:
    answer = event.get("tool_response", "")
    try:
        value = json.loads(answer) if answer.startswith("{") else None
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        answer = "\n".join(text for text in value.values() if isinstance(text, str))
    return f"{event.get('error', '')}\n{answer}"
