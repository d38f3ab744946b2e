"""What the person switched off, excluded or blocked reaches no disk and no answer, whichever harness it comes from."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dreamhook import config, paths
from dreamhook.hook import cached_start
from dreamhook.memory import note_versions
from dreamhook.memory.note_file import Note
from dreamhook.memory.note_versions import Version
from dreamhook.repository.checkouts import standing
from dreamhook.worker import control
from tests.files import there

PROGRAM = Path(sys.executable).with_name("dreamhook")
CLIENTS = ["claude_code", "codex", "cursor"]
NOTHING = {("cursor", "log_event"): b"{}\n", ("cursor", "inject"): b'{"continue":true}\n'}


@pytest.fixture
def no_worker(home):
    """Hooks believe that a worker is just being started, so none is."""
    (home / "worker.starting").touch()
    return home


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
    return folder


def payload(client, folder, prompt="canary"):
    """A prompt as each harness reports it. Cursor's user hooks run in ~/.cursor and name the workspace only inside."""
    if client == "cursor":
        about = {"conversation_id": "c", "generation_id": "g", "workspace_roots": [str(folder)]}
        return about | {"hook_event_name": "beforeSubmitPrompt", "prompt": prompt}
    return {
        "session_id": "s",
        "cwd": str(folder),
        "hook_event_name": "UserPromptSubmit",
        "prompt": prompt,
    }


def hook(client, program, folder, where="/", ascii_only=True, **more):
    raw = json.dumps(payload(client, folder) | more, ensure_ascii=ascii_only).encode(
        "utf-8", "surrogateescape"
    )
    wrapper = f"{paths.ROOT}/wrappers/{client}.sh"
    done = subprocess.run([wrapper, program], input=raw, capture_output=True, timeout=60, cwd=where)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def dreamhook(*words):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def canaries(home):
    """How many files under the home hold the prompt."""
    return sum(there(home, lambda file: b"canary" in file.read_bytes()).values())


def keep_pack(client, folder):
    cached_start.write(str(folder), {client: b"PACK\n"})


@pytest.mark.parametrize("client", CLIENTS)
def test_a_pause_reaches_both_hooks_of_every_harness_and_resume_ends_it(client, no_worker, project):
    keep_pack("claude_code", project)
    dreamhook("pause")
    assert hook(client, "log_event", project, project) == NOTHING.get((client, "log_event"), b"")
    start = {"hook_event_name": "SessionStart", "source": "startup"}
    assert hook("claude_code", "inject", project, project, **start) == b""
    assert canaries(no_worker) == 0
    assert "recording again" in dreamhook("resume")
    hook(client, "log_event", project, project)
    assert hook("claude_code", "inject", project, project, **start) == b"PACK\n"
    assert canaries(no_worker) == 1
    assert "not paused" in dreamhook("resume")


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("how", ["pause --repo", "block", "exclude", "exclude by pattern"])
def test_an_excluded_project_leaves_no_trace_and_is_told_nothing(
    how, client, no_worker, project, tmp_path
):
    other = tmp_path / "other"
    (other / "src").mkdir(parents=True)
    keep_pack(client, project)
    if how == "pause --repo":
        dreamhook("pause", "--repo", str(project))
    elif how == "block":
        dreamhook("repo", "block", str(project))
    else:
        rule = f"{tmp_path}/project/**" if how == "exclude" else "**/proj?ct"
        (no_worker / "config.toml").write_text(f'[capture]\nexclude = ["{rule}"]\n')
    (project / "deep").mkdir()
    for folder in (project, project / "deep"):
        for where in ("/", project):
            assert hook(client, "log_event", folder, where) == NOTHING.get(
                (client, "log_event"), b""
            )
            assert hook(client, "inject", folder, where) == NOTHING.get((client, "inject"), b"")
    start = {
        "hook_event_name": "sessionStart" if client == "cursor" else "SessionStart",
        "source": "startup",
    }
    assert hook(client, "inject", project, project, **start) == NOTHING.get((client, "inject"), b"")
    hook(
        client,
        "log_event",
        other,
        hook_event_name="PostToolUse",
        tool_input={"file_path": f"{project}/notes"},
    )
    assert canaries(no_worker) == 0
    hook(client, "log_event", other / "src")
    assert canaries(no_worker) == 1


def test_a_pause_of_a_repository_holds_in_its_worktrees_too(no_worker, project, tmp_path):
    git = ["git", "-C", project, "-c", "user.name=t", "-c", "user.email=t@example.com"]
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    subprocess.run(
        [*git, "worktree", "add", "-q", "-b", "b", tmp_path / "tree"],
        check=True,
        capture_output=True,
    )
    dreamhook("pause", "--repo", str(project))
    hook("codex", "log_event", tmp_path / "tree", tmp_path / "tree")
    assert canaries(no_worker) == 0
    dreamhook("resume", "--repo", str(tmp_path / "tree"))
    hook("codex", "log_event", tmp_path / "tree", tmp_path / "tree")
    assert canaries(no_worker) == 1


@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_folder_with_other_letters_is_excluded_in_either_spelling(
    ascii_only, no_worker, tmp_path
):
    (no_worker / "config.toml").write_text(
        f'[capture]\nexclude = ["{tmp_path}/Büro 家/**"]\n', encoding="utf-8"
    )
    for name in ("Büro 家", "Bu\u0308ro 家"):
        hook("cursor", "log_event", f"{tmp_path}/{name}/x", ascii_only=ascii_only)
    assert canaries(no_worker) == 0


def test_a_payload_that_cannot_be_read_is_kept_unless_it_may_be_about_what_is_excluded(no_worker):
    wrapper = f"{paths.ROOT}/wrappers/codex.sh"
    (no_worker / "config.toml").write_text('[capture]\nexclude = ["/srv/vault/**"]\n')
    for raw in (b'{"canary" /srv/vault/x', b'{"canary" /srv/other'):
        subprocess.run([wrapper, "log_event"], input=raw, check=True)
    assert canaries(no_worker) == 1


def test_a_session_of_the_dream_leaves_no_trace_though_the_variable_was_lost(no_worker):
    system = Path(paths.ROOT, "dream/prompts/system.md").read_text(encoding="utf-8")
    for client in CLIENTS:
        hook(client, "log_event", "/elsewhere", prompt=f"{system}\ncanary")
    assert canaries(no_worker) == 0


def test_the_switches_cost_a_hook_no_further_module(no_worker):
    """Rules are there, but not about this payload: the hook must not load what reads them."""
    (no_worker / "config.toml").write_text('[capture]\nexclude = ["/srv/vault/**"]\n')
    hook("codex", "log_event", "/p")  # this one compiles them
    source = f"{paths.ROOT}/hooks/log_event.py"
    spy = (
        "import os, sys; exit_now = os._exit\n"
        "def tell(code):\n    os.write(2, ' '.join(sys.modules).encode()); exit_now(code)\n"
        f"os._exit = tell; sys.argv = ['x', '--client', 'codex']; __file__ = {source!r}\n"
        f"exec(compile(open({source!r}).read(), {source!r}, 'exec'))"
    )
    raw = json.dumps(payload("codex", "/p")).encode()
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", spy], input=raw, capture_output=True, cwd="/"
    )
    loaded = set(done.stderr.decode().split())
    assert "dreamhook.hook.consent" in loaded
    assert not loaded & {
        "dreamhook.repository.exclusion",
        "dreamhook.config",
        "json",
        "re",
        "tomllib",
    }


@pytest.fixture
def worker_home(configured_home):
    yield configured_home
    assert control.stop()


def wait_until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.2)


@pytest.mark.neo4j
def test_a_running_worker_takes_up_a_stricter_policy_by_itself(
    graph, worker_home, project, monkeypatch
):
    monkeypatch.setenv("DREAMHOOK_DEADLINE_MS", "20000")
    repository = standing(str(project), "auto").repository.id
    note = Note(
        "Key rotation",
        "fact",
        "How keys are rotated",
        ["key rotation"],
        "x",
        [],
        "",
        "Rotate the keys.",
    )
    version = Version(
        f"repo:{repository}", "project/canary.md", note, config.load().person, repository, 0
    )
    with graph.session() as session:
        session.execute_write(lambda tx: note_versions.write(tx, version, "2026-11-29T10:00:00Z"))

    def is_told(expected):
        if (control.start() or {}).get("store") != "connected":
            return False
        answer = hook("codex", "inject", project, hook_event_name="SessionStart", source="startup")
        return (b"project/canary.md" in answer) is expected

    wait_until(lambda: is_told(True))
    file = worker_home / "config.toml"
    file.write_text(file.read_text() + '[repositories]\npolicy = "strict"\n')
    wait_until(lambda: is_told(False))
    dreamhook("repo", "approve", str(project))
    wait_until(lambda: is_told(True))
