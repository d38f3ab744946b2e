"""What the last sessions here left, from whatever harness, before any dream: made from their events by rule."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from neo4j import Driver

from dreamhook import harness
from dreamhook.recall.fence import neutralise
from dreamhook.recall.scopes import Scopes
from dreamhook.recall.search import Conversation, read

EVENTS = 400
SESSIONS = 3
CHARACTERS = 2_000
BYTES = 3_000
PROMPTS = 3
HEAD = "\nHandoff: what the latest sessions here left, as recorded and not yet consolidated:\n"
EDITS = re.compile("edit|write|patch|create_file|replace|delete", re.IGNORECASE)
PATCHED = re.compile(r"\*\*\* (?:Add|Update|Delete) File: (.+?)(?:\\n|\n|$)")
ENDS = ("Stop", "AssistantMessage", "SessionEnd")
BROKEN = ("Interrupt", "StopFailure")


@dataclass
class Left:
    """What one session left."""

    client: str
    session_id: str
    until: str = ""
    branch: str = ""
    prompts: list[str] = field(default_factory=list)
    answer: str = ""
    files: dict[str, None] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    open: bool = False
    """The last prompt had no end that was recorded."""


def handoff(driver: Driver, scopes: Scopes, conversation: Conversation, database: str | None = None) -> str:
    """The section of the start block, "" when nothing is left."""
    repository = next((name.removeprefix("repo:") for name in scopes.names if name.startswith("repo:")), None)
    if repository is None:
        return ""
    parameters = {
        "person": scopes.owner,
        "repository": repository,
        "not_this": conversation.session_id,
        "limit": EVENTS,
    }
    return told(left(read(driver, "recall_handoff", parameters, database)))


def left(rows: Sequence[dict[str, Any]]) -> list[Left]:
    """Sessions with a prompt, latest first, from rows of recall_handoff.cypher (latest first)."""
    found: dict[tuple[str, str], Left] = {}
    for row in reversed(rows):
        key = (row["client"], row["session_id"])
        one = found.pop(key, None) or Left(*key)
        found[key] = one  # put last: the order is that of each session's latest event
        _note(one, row)
    return [one for one in reversed(found.values()) if one.prompts][:SESSIONS]


def told(sessions: Sequence[Left]) -> str:
    """As text, whole sessions only, within CHARACTERS and BYTES."""
    text = ""
    for one in sessions:
        longer = text + _describe(one)
        if len(longer) > CHARACTERS or len(longer.encode()) > BYTES:
            if text:
                break
            longer = next(brief for shares in (2, 4, 8) if len((brief := _describe(one, shares)).encode()) <= BYTES)
        text = longer
    return HEAD + text if text else ""


def _note(one: Left, row: dict[str, Any]) -> None:
    name = row["event_name"]
    one.until, one.branch = row["timestamp"] or one.until, row["branch"] or one.branch
    if name == "UserPromptSubmit":
        if row["source"]:
            return  # not typed by a person
        one.prompts.append(row["prompt"] or "")
        one.answer, one.open = "", True
    elif name in ENDS:
        one.answer = row["assistant_text"] or one.answer
        one.open = one.open and (name == "SessionEnd" or row["status"] in ("aborted", "error"))
    elif name in BROKEN:
        one.open = True
    elif row["tool_name"]:
        command, paths = _tool(row["tool_name"], row["tool_input"] or "")
        for path in paths:
            one.files.pop(path, None)
            one.files[path] = None
        if row["failed"] and command:
            one.failed.append(command)
        elif command in one.failed:
            one.failed = [other for other in one.failed if other != command]  # it worked later


def _tool(tool: str, given: str) -> tuple[str, list[str]]:
    """(the command, the files it was to change)"""
    try:
        fields = json.loads(given)
    except (ValueError, RecursionError):
        fields = None
    fields = fields if isinstance(fields, dict) else {}
    command = fields.get("command") or fields.get("cmd")
    command = command if isinstance(command, str) else ""
    paths = PATCHED.findall(command or given)
    if EDITS.search(tool):
        named = (fields.get(key) for key in ("file_path", "path", "notebook_path", "target_file"))
        paths += [path for path in named if isinstance(path, str)]
    return ("" if PATCHED.search(command) else command), paths


def _describe(one: Left, shares: int = 1) -> str:
    """`shares`: texts are cut to one of so many of their usual length; eight are under BYTES in any script."""
    long, short, branch = 700 // shares, 240 // shares, 80 // shares
    lines = [f"- {_label(one.client)} session {one.session_id[:8]}, last seen {one.until[:16].replace('T', ' ')} UTC"]
    lines[0] += f", branch {_line(one.branch, branch)}" if one.branch else ""
    lines += [f"  asked: {_line(prompt, short)}" for prompt in one.prompts[-PROMPTS:]]
    if one.answer:
        lines.append(f"  answered last: {_line(one.answer, long)}")
    if one.files:
        lines.append(f"  changed: {_line(', '.join([*one.files][-8:]), 400 // shares)}")
    lines += [f"  failed and not seen to work since: {_line(command, short)}" for command in one.failed[-3:]]
    if one.open:
        lines.append("  unfinished: the last request was not seen to end")
    return "\n".join(lines) + "\n"


def _line(text: str, characters: int) -> str:
    text = " ".join(neutralise(text).split())
    return text if len(text) <= characters else text[: characters - 1] + "…"


def _label(client: str) -> str:
    try:
        return harness.get(client).LABEL
    except harness.UnknownClient:
        return _line(client, 40)
