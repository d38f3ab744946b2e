"""One running conversation with a real harness: its prompts and compactions in one process, never through a resume.

Claude Code 2.1.332 takes one user message after another with `--input-format stream-json`; Codex 0.171.0 has
`app-server`, JSON-RPC on its standard streams, which also compacts on demand.
"""

import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.lab.harnesses import CLIS, COMMANDS, PATIENCE, Lab, kill
from tests.lab.stub_model import text_of

ARGUMENTS = {
    "claude_code": "-p --dangerously-skip-permissions --input-format stream-json --output-format stream-json --verbose",
    "codex": "app-server",
}


class Conversation:
    """`say` and `compact` return when the harness waits for the next word."""

    def __init__(
        self, lab: Lab, client: str, project: Path, process: "subprocess.Popen[str]"
    ) -> None:
        self.lab, self.client, self.process = lab, client, process
        self.sent = 0
        if client == "codex":
            self._call("initialize", clientInfo={"name": "lab", "version": "1"})
            self.thread = self._call("thread/start", cwd=str(project))["thread"]["id"]

    def say(self, prompt: str, *turns: dict[str, Any]) -> str:
        """One prompt, in whose answer the model plays these turns; returns all that its last request told it."""
        self.lab.model.play(*turns)
        if self.client == "codex":
            self._call("turn/start", threadId=self.thread, input=[{"type": "text", "text": prompt}])
            self._read_until(method="turn/completed")
        else:
            self._send(type="user", message={"role": "user", "content": prompt})
            self._read_until(type="result")
        return text_of(self.lab.model.requests[-1:])

    def compact(self) -> None:
        """As a person does by hand."""
        if self.client == "codex":
            self._call("thread/compact/start", threadId=self.thread)
            self._read_until(method="turn/completed")
        else:
            self.say("/compact")

    def _call(self, method: str, **params: Any) -> dict[str, Any]:
        self.sent += 1
        self._send(id=self.sent, method=method, params=params)
        result: dict[str, Any] = self._read_until(id=self.sent)["result"]
        return result

    def _send(self, **message: Any) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def _read_until(self, **fields: Any) -> dict[str, Any]:
        assert self.process.stdout
        for line in self.process.stdout:
            message: dict[str, Any] = json.loads(line)
            if message.items() >= fields.items():
                return message
        raise AssertionError(f"{self.client} ended, or was stuck for {PATIENCE} s, before {fields}")


@contextmanager
def conversation(lab: Lab, client: str, project: Path) -> Iterator[Conversation]:
    """A harness that runs until the block ends."""
    process = subprocess.Popen(
        [str(CLIS / "node_modules/.bin" / COMMANDS[client]), *ARGUMENTS[client].split()],
        cwd=project,
        env=lab.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        start_new_session=True,
    )
    stuck = threading.Timer(PATIENCE, kill, [process])
    stuck.start()
    try:
        yield Conversation(lab, client, project, process)
    finally:
        stuck.cancel()
        kill(process)
