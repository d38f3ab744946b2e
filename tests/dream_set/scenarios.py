"""Reads scenarios.json: sessions, the notes that exist before them, and what a dream should make of it.

A scenario's expectations are regular expressions, matched without regard to case and line by line where they begin
with `^`: `keep` (each fact: all its words in one note under `where`), `rewrite` (what a note that existed must and must
not say afterwards), `ignore` (noise in no note), `refuse` (planted or secret, in no note).
"""

import json
import uuid
from pathlib import Path
from typing import Any

from dreamhook.memory import note_file
from dreamhook.memory.note_file import Note

NAMESPACE = uuid.UUID("6a1f3a5e-0d7b-4a8e-9a54-3d5b6f2c9e10")


def scenarios() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(
        Path(__file__).with_name("scenarios.json").read_text(encoding="utf-8")
    )
    return found


def event(told: list[Any]) -> dict[str, Any]:
    """One line of a session as the properties of an event."""
    match told:
        case ["user", text]:
            return {"event_name": "UserPromptSubmit", "prompt": text}
        case ["agent", text]:
            return {"event_name": "Stop", "assistant_text": text}
        case ["bash", given, answer]:
            return _tool("Bash", given, answer)
        case ["web", given, answer]:
            return _tool("WebFetch", given, answer)
        case ["fail", given, error]:
            tool = {"event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": given}
            return tool | {"error": error, "failed": True}
        case ["result", given, answer, status, counts]:
            outcome = {"outcome_kind": "test", "outcome_command": given, "outcome_status": status}
            return (
                _tool("Bash", given, answer)
                | outcome
                | {f"outcome_{name}": n for name, n in counts.items()}
            )
    raise ValueError(f"no such event: {told!r}")


def sessions(scenario: dict[str, Any]) -> list[tuple[str, dict[str, Any], list[dict[str, Any]]]]:
    """(session id, what is known of the session, its events with time and id), ended; the same at every call."""
    found = []
    for number, session in enumerate(scenario["sessions"]):
        name = str(uuid.uuid5(NAMESPACE, f"{scenario['id']}/{number}"))
        events = [event(told) for told in session["events"]] + [{"event_name": "SessionEnd"}]
        for place, one in enumerate(events):
            one["timestamp"] = f"{session['date']}T{9 + number:02}:{place:02}:00.000000+00:00"
            one["event_id"] = uuid.uuid5(NAMESPACE, f"{name}/{place}").hex
        found.append((name, {"client": session["client"], "branch": session["branch"]}, events))
    return found


def note(told: dict[str, Any], author: str) -> Note:
    """A note that exists before the scenario's sessions."""
    about = {name: told[name] for name in ("title", "kind", "description", "cues", "body")}
    return note_file.parse(
        note_file.serialise(Note(author=author, evidence=[], review_by="", **about))
    )


def _tool(name: str, given: str, answer: str) -> dict[str, Any]:
    return {
        "event_name": "PostToolUse",
        "tool_name": name,
        "tool_input": given,
        "tool_response": answer,
    }
