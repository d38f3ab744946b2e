"""What the last sessions here left, from whatever harness, before any dream: made from their events by rule."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dreamhook import harness
from dreamhook.recall.sanitise import neutralise
from dreamhook.recall.scopes import Scopes
from dreamhook.recall.search import Conversation
from dreamhook.store.query import Store

LOOKED_AT = 3_000
"""Events in which the latest sessions are looked for: 10 ms of the 150 that a start may take."""
CANDIDATES = 4
"""Sessions that are read. One more than are told: some turn out to have left nothing."""
EVENTS = 100
"""Of each session, besides its prompts."""
INPUT, INPUT_END = 2_000, 500
"""Characters read of a tool's input, from its beginning and from its end."""
SESSIONS = 3
CHARACTERS = 2_000
BYTES = 3_000
PROMPTS = 3
SHARES = (1, 2, 4, 8)
"""Texts of the first session are cut to one of so many of their usual length, until it fits."""
HEAD = "\nHandoff: what the latest sessions here left, as recorded and not yet consolidated:\n"
FILES = 8
EDITING_TOOLS = harness.named("EDITING_TOOLS")
EDITS = re.compile("edit|write|patch|create_file|replace|delete", re.IGNORECASE)
"""How the tools of MCP servers that change files are usually called."""
PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)", re.MULTILINE)
PATHS = ("file_path", "path", "notebook_path", "target_file")
COMMANDS = ("command", "cmd", "input", "patch")
STRING = re.compile(r'(?:[^"\\]|\\.)*', re.DOTALL)
MEMBER = re.compile(rf'"({"|".join(PATHS + COMMANDS)})"\s*:\s*"({STRING.pattern})("?)', re.DOTALL)
"""Inside a JSON string every quote is escaped, so this cannot match there."""
CUT_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\u[0-9a-fA-F]{0,3}$")
ESCAPE = re.compile(r"\\(.)", re.DOTALL)
ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
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
    """The last request had no end that was recorded."""


def handoff(store: Store, scopes: Scopes, conversation: Conversation) -> list[Left]:
    """Sessions that left something, latest first, at most SESSIONS. Raises the driver's errors."""
    repository = next(
        (name.removeprefix("repo:") for name in scopes.names if name.startswith("repo:")), None
    )
    if repository is None:
        return []
    parameters = {
        "person": scopes.owner,
        "repository": repository,
        "not_this": conversation.session_id,
        "looked_at": LOOKED_AT,
        "sessions": CANDIDATES,
        "prompts": PROMPTS,
        "events": EVENTS,
        "head": INPUT,
        "tail": INPUT_END,
    }
    return left(store.ask("recall_handoff", parameters))


def left(rows: Sequence[dict[str, Any]]) -> list[Left]:
    """Sessions that left something, latest first, from rows of recall_handoff.cypher (latest first)."""
    found: dict[tuple[str, str], Left] = {}
    for row in reversed(rows):
        key = (row["client"], row["session_id"])
        one = found.pop(key, None) or Left(*key)
        found[key] = one  # put last: the order is that of each session's latest event
        _note(one, row)
    some = [
        one
        for one in reversed(found.values())
        if one.prompts or one.answer or one.files or one.failed
    ]
    return some[:SESSIONS]


def told(sessions: Sequence[Left], room: int = BYTES) -> str:
    """The section of the start block: whole sessions only, the first ever briefer until it fits; "" if none does.

    `room`: UTF-8 bytes, of which no more than BYTES are used; and no more than CHARACTERS characters.
    """
    text = HEAD
    for one in sessions:
        shares = SHARES if text == HEAD else SHARES[:1]
        longer = next(
            (whole for share in shares if _fits(whole := text + _describe(one, share), room)), None
        )
        if longer is None:
            break
        text = longer
    return text if text != HEAD else ""


def _note(one: Left, row: dict[str, Any]) -> None:
    name = row["event_name"]
    one.until, one.branch = row["timestamp"] or one.until, row["branch"] or one.branch
    if name == "UserPromptSubmit":
        if row["source"]:
            return  # not typed by a person
        one.prompts.append(row["prompt"] or "")
        one.answer, one.open = (
            "",
            not row.get("dreamed"),
        )  # how that one went on, a dream has seen as well
    elif name in ("Stop", "AssistantMessage"):
        one.answer = row["assistant_text"] or one.answer
        one.open = row["status"] in ("aborted", "error")
    elif name in BROKEN:
        one.open = True
    elif row["tool_name"]:
        one.open = True  # a message before it was not the last
        command, paths = _tool(row)
        for path in () if row["failed"] else paths:
            path = _within(path, row.get("cwd") or "")
            one.files.pop(path, None)
            one.files[path] = None
        one.failed = [
            other for other in one.failed if other != command
        ]  # it worked later, or is the latest to fail
        if row["failed"] and command:
            one.failed.append(command)


def _tool(row: dict[str, Any]) -> tuple[str, list[str]]:
    """(the command, the files it was to change)"""
    given = row["tool_input"] or ""
    fields = _fields(given, row.get("tool_input_end") or "")
    command = fields.get("command") or fields.get("cmd") or ""
    named = [fields[key] for key in PATHS if key in fields] if _edits(row["tool_name"]) else []
    if named:
        return command, named
    structure = given.startswith(("{", "["))
    if row.get("patched"):
        pieces = [_unescaped(piece) if structure else piece for piece in row["patched"]]
        paths = [piece.partition("\n")[0] for piece in pieces]
    else:
        text = next((fields[key] for key in COMMANDS if key in fields), "" if structure else given)
        paths = PATCHED.findall(text)
    return "" if paths else command, [path.strip() for path in paths]


def _edits(tool: str) -> bool:
    return tool in EDITING_TOOLS or EDITS.search(tool) is not None


def _fields(head: str, tail: str) -> dict[str, str]:
    """Texts of a tool's input by name; of one that was cut, those that stand in its beginning or end, a command as far
    as it does."""
    try:
        whole = json.loads(head)
    except (ValueError, RecursionError):
        whole = {}
        for key, text, closed in (found for part in (head, tail) for found in MEMBER.findall(part)):
            if closed or key in COMMANDS:  # half a path is another's
                whole.setdefault(key, _unescaped(text))
    return (
        {key: value for key, value in whole.items() if isinstance(value, str)}
        if isinstance(whole, dict)
        else {}
    )


def _unescaped(text: str) -> str:
    """What the beginning of a JSON string says, up to its closing quote or to where it was cut."""
    match = STRING.match(text)
    text = CUT_ESCAPE.sub(r"\1", match[0] if match else "")
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return ESCAPE.sub(lambda escape: ESCAPED.get(escape[1], escape[1]), text)


def _within(path: str, folder: str) -> str:
    """Relative to the folder the session began in, if it lies there."""
    return path.removeprefix(folder.rstrip("/") + "/") if folder.rstrip("/") else path


def _describe(one: Left, shares: int = 1) -> str:
    """`shares`: texts are cut to one of so many of their usual length; eight are under BYTES in any script."""
    long, short, branch = 700 // shares, 240 // shares, 80 // shares
    lines = [
        f"- {_label(one.client)} session {one.session_id[:8]}, last seen {one.until[:16].replace('T', ' ')} UTC"
    ]
    lines[0] += f", branch {_line(one.branch, branch)}" if one.branch else ""
    lines += [f"  asked: {_line(prompt, short)}" for prompt in one.prompts[-PROMPTS:]]
    if one.answer:
        lines.append(f"  answered last: {_line(one.answer, long)}")
    if one.files:
        lines.append(f"  changed: {_changed([*one.files], 400 // shares)}")
    lines += [
        f"  failed and not seen to work since: {_line(command, short)}"
        for command in one.failed[-3:]
    ]
    if one.open:
        lines.append("  unfinished: the last request was not seen to end")
    return "\n".join(lines) + "\n"


def _changed(files: Sequence[str], characters: int) -> str:
    """The latest that fit, at least one, and how many more there are."""
    for shown in range(min(FILES, len(files)), 0, -1):
        more = f", +{len(files) - shown} more" if len(files) > shown else ""
        names = ", ".join(_line(path, characters) for path in files[-shown:])
        if len(names) + len(more) <= characters:
            break
    return _line(names, characters - len(more)) + more


def _fits(text: str, room: int) -> bool:
    return len(text) <= CHARACTERS and len(text.encode()) <= min(room, BYTES)


def _line(text: str, characters: int) -> str:
    text = " ".join(neutralise(text).split())
    return text if len(text) <= characters else text[: characters - 1] + "…"


def _label(client: str) -> str:
    try:
        return harness.get(client).LABEL
    except harness.UnknownClient:
        return _line(client, 40)
