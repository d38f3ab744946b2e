"""Runs the real Claude Code and Codex, with our hooks, in a home of their own and against the stub model.

Every harness gets an environment made from nothing but PATH, so no account, key or setting of the developer is
read or written. The binaries come from npm into `$DREAMHOOK_TEST_CLIS` (tests/run.sh does it).
"""

import json
import os
import signal
import subprocess
import sys
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.lab.codex_trust import trust_lines
from tests.lab.stub_model import StubModel, text_of

ROOT = Path(__file__).resolve().parents[2]
CLIS = Path(os.environ.get("DREAMHOOK_TEST_CLIS", ROOT / ".cache/harness"))
COMMANDS = {"claude_code": "claude", "codex": "codex"}
FAKE_KEY = "fake-key-of-the-lab"
PATIENCE = 180
"""Seconds after which a harness is stuck; a run takes about five."""


@dataclass(frozen=True)
class Lab:
    """One user: a home with both harnesses set up, and where our hooks keep their things."""

    home: Path
    dreamhook_home: Path
    model: StubModel
    variables: dict[str, str]
    team: str = field(default_factory=lambda: f"team-{uuid.uuid4().hex[:8]}")

    @property
    def env(self) -> dict[str, str]:
        """The launching shell of a harness. DREAMHOOK_HOME is not in it: the registered command has to bring it."""
        fixed = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "TMPDIR": str(self.home / "tmp"),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
        }
        claude = {
            "ANTHROPIC_BASE_URL": self.model.url,
            "ANTHROPIC_API_KEY": FAKE_KEY,
            "CLAUDE_CODE_TMPDIR": str(self.home / "tmp"),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "IS_SANDBOX": "1",  # lets it run as root, where CI containers do
        }
        return {**fixed, **claude, "STUB_KEY": FAKE_KEY, **self.variables}


@dataclass(frozen=True)
class Finished:
    """What a harness left behind when it ended."""

    status: int
    answer: str
    """What the person saw last."""
    hooks: list[tuple[str, str]]
    """(event, how it ended) of every hook that ran, as the harness itself reports it."""
    requests: list[dict[str, Any]] = field(repr=False)

    @property
    def told(self) -> str:
        """Everything that reached the model; the last request holds all that came before."""
        return text_of(self.requests[-1:])

    @property
    def failed_hooks(self) -> list[tuple[str, str]]:
        return [(event, end) for event, end in self.hooks if end not in ("success", "Completed")]


def require_harnesses() -> None:
    """Skip when the binaries are not there; CI may not skip."""
    missing = [c for c in COMMANDS.values() if not (CLIS / "node_modules/.bin" / c).exists()]
    if missing and os.environ.get("CI"):
        pytest.fail(f"{', '.join(missing)} not in {CLIS}: run the tests through tests/run.sh")
    if missing:
        pytest.skip(f"{', '.join(missing)} not in {CLIS}: tests/run.sh installs them where npm is")


def make_lab(
    folder: Path,
    dreamhook_home: Path,
    model: StubModel,
    clients: tuple[str, ...] = tuple(COMMANDS),
    **variables: str,
) -> Lab:
    """A user whose harnesses ask the stub model, with our hooks registered for these clients."""
    lab = Lab(folder / "home", dreamhook_home, model, variables)
    (lab.home / "tmp").mkdir(parents=True)
    _write_json(
        lab.home / ".claude.json",
        {
            "hasCompletedOnboarding": True,
            "customApiKeyResponses": {"approved": [FAKE_KEY[-20:]], "rejected": []},
        },
    )
    config = lab.home / ".codex/config.toml"
    config.parent.mkdir()
    config.write_text(
        'model = "gpt-5.5"\nmodel_provider = "stub"\napproval_policy = "never"\n'
        'sandbox_mode = "danger-full-access"\ncheck_for_update_on_startup = false\n'
        f'[model_providers.stub]\nname = "stub"\nbase_url = "{model.url}/v1"\n'
        'wire_api = "responses"\nenv_key = "STUB_KEY"\n',
        encoding="utf-8",
    )
    _install(lab, clients)
    with config.open("a", encoding="utf-8") as file:
        file.write("\n".join(trust_lines(lab.home / ".codex/hooks.json")) + "\n")
    return lab


def make_project(lab: Lab, name: str) -> Path:
    """A repository with a remote of its own, which is its identity; no other lab has the same."""
    project = lab.home / "src" / name
    project.mkdir(parents=True)
    (project / "README.md").write_text(f"# {name}\n", encoding="utf-8")
    for command in (
        ["init", "-q"],
        ["remote", "add", "origin", f"https://git.example.com/{lab.team}/{name}.git"],
    ):
        subprocess.run(["git", *command], cwd=project, env=lab.env, check=True)
    return project


def start(
    lab: Lab, client: str, project: Path, prompt: str, resume: bool = False, fork: str = ""
) -> subprocess.Popen[str]:
    """Start one headless session, go on with the last one, or fork one; the caller waits for it or kills it."""
    program = str(CLIS / "node_modules/.bin" / COMMANDS[client])
    claude = "-p --dangerously-skip-permissions --output-format stream-json --verbose --include-hook-events".split()
    claude += ["-c"] * resume + (["--resume", fork, "--fork-session"] if fork else [])
    codex = [
        "exec",
        "--skip-git-repo-check",
        *["resume", "--last"] * resume,
        *(["fork", fork] if fork else []),
    ]
    argv = [program, *(claude if client == "claude_code" else codex), "--", prompt]
    return subprocess.Popen(
        argv,
        cwd=project,
        env=lab.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )


def run(
    lab: Lab,
    client: str,
    project: Path,
    prompt: str,
    *turns: dict[str, Any],
    resume: bool = False,
    fork: str = "",
) -> Finished:
    """One headless session from prompt to end, in which the model plays these turns."""
    lab.model.play(*turns)
    process = start(lab, client, project, prompt, resume, fork)
    try:
        stdout, stderr = process.communicate(timeout=PATIENCE)
    finally:
        kill(process)
    answer, hooks = (
        _claude_report(stdout)
        if client == "claude_code"
        else (stdout.strip(), _codex_hooks(stderr))
    )
    return Finished(process.returncode, answer, hooks, lab.model.requests)


def _install(lab: Lab, clients: tuple[str, ...]) -> None:
    """Let the product's installer register the hooks and do nothing else: a timer would belong to the machine."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "dreamhook.install",
            "--yes",
            "--hooks-only",
            "--harness",
            ",".join(clients),
        ],
        cwd=ROOT,
        env={**lab.env, "DREAMHOOK_HOME": str(lab.dreamhook_home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr


def _claude_report(stdout: str) -> tuple[str, list[tuple[str, str]]]:
    messages = [json.loads(line) for line in stdout.splitlines()]
    ended = [message for message in messages if message.get("subtype") == "hook_response"]
    answer = next((message["result"] for message in messages if message["type"] == "result"), "")
    return answer, [(message["hook_event"], message["outcome"]) for message in ended]


def _codex_hooks(stderr: str) -> list[tuple[str, str]]:
    lines = [line.split() for line in stderr.splitlines() if line.startswith("hook: ")]
    return [(words[1], words[2]) for words in lines if len(words) == 3]


def kill(process: subprocess.Popen[str]) -> None:
    """End a harness the hard way, with everything in its process group."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def processes(lab: Lab) -> dict[int, str]:
    """Process id → command line of everything still running that has this lab's home in its environment."""
    mark = f"HOME={lab.home}".encode()
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                found[int(folder.name)] = (
                    (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                )
        except OSError:  # gone already, or another user's
            continue
    return {pid: command for pid, command in found.items() if command}  # a zombie has none


def end_leftovers(lab: Lab) -> None:
    """End what a harness or a hook left running."""
    for pid in processes(lab):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _write_json(path: Path, value: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")
