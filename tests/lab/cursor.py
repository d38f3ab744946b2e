"""Plays Cursor, which has no offline binary: constructed payloads through the hooks that are registered for it.

Cursor runs its own hooks.json and Claude Code's settings, too; both get Cursor's kind of payload.
"""

import json
import subprocess
import uuid
from pathlib import Path
from typing import Any

from tests.lab.harnesses import ROOT, Lab

PAYLOADS = ROOT / "tests/payloads/cursor"
BRIDGE = {  # Cursor's event -> Claude Code's, as its documentation of third-party hooks maps them
    "sessionStart": "SessionStart",
    "beforeSubmitPrompt": "UserPromptSubmit",
    "preToolUse": "PreToolUse",
    "postToolUse": "PostToolUse",
    "postToolUseFailure": "PostToolUseFailure",
    "stop": "Stop",
    "sessionEnd": "SessionEnd",
}


def play(
    lab: Lab,
    project: Path,
    prompt: str,
    *turns: dict[str, Any],
    settings: tuple[str, ...],
    missing: tuple[str, ...] = (),
) -> str:
    """One conversation in which the model plays these turns; returns every context that the hooks gave Cursor.

    `settings`: whose hooks run, of "cursor" and "claude_code". `missing`: events that this Cursor does not send.
    """
    conversation, generation = str(uuid.uuid4()), str(uuid.uuid4())
    common: dict[str, Any] = {
        "conversation_id": conversation,
        "session_id": conversation,
        "generation_id": generation,
    }
    common |= {"workspace_roots": [str(project)]}
    events: list[tuple[str, dict[str, Any]]] = [
        ("sessionStart", {}),
        ("beforeSubmitPrompt", {"prompt": prompt}),
    ]
    for turn in turns:
        if "shell" in turn:
            tool = {
                "tool_name": "Shell",
                "tool_input": {"command": turn["shell"]},
                "cwd": str(project),
            }
            output = subprocess.run(
                turn["shell"], shell=True, cwd=project, capture_output=True, encoding="utf-8"
            )
            result = {
                "tool_output": json.dumps({"exitCode": output.returncode, "stdout": output.stdout})
            }
            events += [("preToolUse", tool), ("postToolUse", {**tool, **result})]
        else:
            events += [("afterAgentResponse", {"text": turn["say"]})]
    events += [("stop", {}), ("sessionEnd", {})]
    contexts = []
    for event, fields in ((event, fields) for event, fields in events if event not in missing):
        payload = (
            json.loads((PAYLOADS / f"{event}.json").read_text(encoding="utf-8")) | common | fields
        )
        contexts += [
            reply.get("additional_context", "")
            for reply in _run_hooks(lab, event, payload, settings)
        ]
    return "\n".join(contexts)


def _run_hooks(
    lab: Lab, event: str, payload: dict[str, Any], settings: tuple[str, ...]
) -> list[dict[str, Any]]:
    """What every hook of this event replies; all run at once, as in Cursor."""
    folder = lab.home / ".cursor"  # where Cursor starts the user's own hooks
    folder.mkdir(exist_ok=True)
    running = [
        subprocess.Popen(
            command,
            shell=True,
            cwd=folder,
            env=lab.env | {"CURSOR_VERSION": payload["cursor_version"]},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for client in settings
        for command in _commands(lab, event, client)
    ]
    replies = []
    for process in running:
        stdout, stderr = process.communicate(json.dumps(payload).encode())
        assert (process.returncode, stderr) == (0, b"")
        replies.append(json.loads(stdout or b"{}"))
    return replies


def _commands(lab: Lab, event: str, client: str) -> list[str]:
    place, name = (
        (".cursor/hooks.json", event)
        if client == "cursor"
        else (".claude/settings.json", BRIDGE.get(event))
    )
    entries = json.loads((lab.home / place).read_text(encoding="utf-8"))["hooks"].get(name, [])
    return [handler["command"] for entry in entries for handler in entry.get("hooks", [entry])]
