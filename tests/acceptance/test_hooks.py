"""The two programs as a harness runs them: always exit 0, silent on stderr, in the harness's shape, nothing lost."""

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dreamhook import paths
from dreamhook.hook import notify
from dreamhook.worker.__main__ import drop_harness_variables

PAYLOAD = {
    "session_id": "s1",
    "cwd": "/nowhere/a",
    "hook_event_name": "UserPromptSubmit",
    "prompt": "hi",
    "prompt_id": "p",
}
CLIENTS = ["claude_code", "codex", "cursor"]
NOTHING = {
    ("cursor", "log_event"): b"{}\n",
    ("cursor", "inject"): b'{"continue":true}\n',
}
PLAIN = "import sys, os; os.write(1, repr(sorted(sys.modules)).encode())"
"""What an interpreter holds that does nothing but import os: the hooks' base line, whatever the Python version."""
LIGHT = {"_socket", "zlib", "errno", "fcntl", "math", "select", "dreamhook", "dreamhook.paths"} | {
    f"dreamhook.{name}"
    for name in (
        "hook hook.log_event hook.inject hook.notify hook.consent hook.payload hook.stdin hook.cached_start "
        "hook.settled spool spool.writer hook.log scrub scrub.literals"
    ).split()
}
"""What a hook may add to it on its common path."""
BAD_INPUT = {
    "empty": b"",
    "blank": b" \r\n\n",
    "empty object": b"{}",
    "not json": b"{oops",
    "not utf-8": b'{"prompt": "\xff\xfe"}',
    "bom": b"\xef\xbb\xbf" + json.dumps(PAYLOAD).encode(),
    "crlf": json.dumps(PAYLOAD, indent=1).replace("\n", "\r\n").encode(),
    "10,000 deep": b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
    "20 MB": json.dumps(PAYLOAD | {"prompt": "x" * (20 << 20)}).encode(),
    "an array": b"[1, 2]",
    "nul bytes": b"\0" * 100,
}


@pytest.fixture
def no_worker(home):
    """Hooks believe that a worker is just being started, so none is."""
    (home / "worker.starting").touch()
    return home


def run(client, program, payload, **options):
    wrapper = f"{paths.ROOT}/wrappers/{client}.sh"
    return subprocess.run(
        [wrapper, program], input=payload, capture_output=True, timeout=60, **options
    )


def spooled(home):
    return sorted((home / "spool/new").glob("*"))


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("program", ["log_event", "inject"])
@pytest.mark.parametrize("name", BAD_INPUT)
def test_whatever_comes_in_the_agent_goes_on(name, program, client, no_worker):
    done = run(client, program, BAD_INPUT[name])
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == NOTHING.get((client, program), b"")


@pytest.mark.parametrize("name", [name for name in BAD_INPUT if name != "20 MB"])
def test_whatever_comes_in_is_kept_byte_for_byte(name, no_worker):
    run("codex", "log_event", BAD_INPUT[name])
    kept = [file.read_bytes().partition(b"\n")[2] for file in spooled(no_worker)]
    assert kept == ([BAD_INPUT[name]] if BAD_INPUT[name].strip() else [])


def test_a_huge_payload_is_kept_smaller_and_still_parses(no_worker):
    run("codex", "log_event", BAD_INPUT["20 MB"])
    [file] = spooled(no_worker)
    kept = json.loads(file.read_bytes().partition(b"\n")[2])
    assert kept.items() >= (PAYLOAD | {"prompt": kept["prompt"]}).items()
    assert len(kept["prompt"]) < 200_000
    assert kept["dreamhook_left_out"] == {"prompt": 20 << 20}


def test_a_stdin_without_end_is_cut_off(no_worker):
    endless = subprocess.Popen(["yes", '{"a":'], stdout=subprocess.PIPE)
    done = subprocess.run(
        [f"{paths.ROOT}/wrappers/codex.sh", "log_event"],
        stdin=endless.stdout,
        capture_output=True,
        timeout=60,
    )
    endless.stdout.close()
    endless.wait()
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert [file.stat().st_size < 2 << 20 for file in spooled(no_worker)] == [True]


def test_a_spool_is_for_this_user_alone(no_worker):
    run("claude_code", "log_event", json.dumps(PAYLOAD).encode())
    [file] = spooled(no_worker)
    assert file.stat().st_mode & 0o777 == 0o600
    assert all(
        folder.stat().st_mode & 0o077 == 0
        for folder in (file.parent, file.parent.parent, no_worker)
    )


def test_a_stdin_that_is_never_closed_does_not_hold_the_agent(no_worker):
    wrapper = f"{paths.ROOT}/wrappers/claude_code.sh"
    process = subprocess.Popen(
        [wrapper, "log_event"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdin.write(json.dumps(PAYLOAD).encode())
    process.stdin.flush()
    assert process.wait(30) == 0
    assert process.stdout.read() + process.stderr.read() == b""
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()
    assert len(spooled(no_worker)) == 1


def test_an_unknown_client_is_no_reason_to_lose_an_event(no_worker):
    command = [
        sys.executable,
        "-I",
        "-S",
        f"{paths.ROOT}/hooks/log_event.py",
        "--client",
        "somebody",
    ]
    done = subprocess.run(command, input=json.dumps(PAYLOAD).encode(), capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(spooled(no_worker)) == 1


@pytest.mark.parametrize("program", ["log_event", "inject"])
def test_a_hook_that_is_off_reads_what_its_harness_writes(program, home, monkeypatch):
    """More than a pipe holds: a harness would meet a broken pipe otherwise."""
    monkeypatch.setenv("DREAMHOOK_OFF", "1")
    command = [f"{paths.ROOT}/wrappers/codex.sh", program]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as process:
        rest = memoryview(json.dumps(PAYLOAD | {"prompt": "x" * (1 << 20)}).encode())
        while rest:
            rest = rest[process.stdin.write(rest) :]
        process.stdin.close()
        assert process.stdout.read() == b""
    assert process.returncode == 0


def test_off_or_not_cursor_gets_after_a_tool_what_it_accepts_there(home, monkeypatch):
    monkeypatch.setenv("DREAMHOOK_OFF", "1")
    payload = {"conversation_id": "c", "hook_event_name": "postToolUse", "tool_name": "Shell"}
    assert run("cursor", "inject", json.dumps(payload).encode()).stdout == b"{}\n"


@pytest.mark.parametrize("program", ["log_event", "inject"])
def test_switched_off_hooks_do_nothing_at_all(program, home, monkeypatch):
    monkeypatch.setenv("DREAMHOOK_OFF", "1")
    done = run("claude_code", program, json.dumps(PAYLOAD).encode())
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert list(home.iterdir()) == []


def test_a_home_with_spaces_and_other_letters(home, monkeypatch):
    odd = home / "mein Zuhause – 家"
    monkeypatch.setenv("DREAMHOOK_HOME", str(odd))
    odd.mkdir(mode=0o700)
    (odd / "worker.starting").touch()
    run("codex", "log_event", json.dumps(PAYLOAD).encode())
    assert len(spooled(odd)) == 1


def test_a_home_given_by_the_registration_wins_over_the_environment(home, tmp_path, monkeypatch):
    own = home / "own"
    own.mkdir()
    (own / "worker.starting").touch()
    monkeypatch.setenv("DREAMHOOK_HOME", str(tmp_path))
    wrapper = f"{paths.ROOT}/wrappers/claude_code.sh"
    subprocess.run(
        [wrapper, "log_event", "--home", str(own)], input=json.dumps(PAYLOAD).encode(), check=True
    )
    assert len(spooled(own)) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_takes_nothing_is_replaced_by_a_fallback(home, monkeypatch, tmp_path):
    monkeypatch.setenv("DREAMHOOK_HOME", "/proc/nothing-can-be-written-here")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    done = run("claude_code", "log_event", json.dumps(PAYLOAD).encode())
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    [kept] = tmp_path.glob("dreamhook/*/new/*")
    assert kept.read_bytes().endswith(json.dumps(PAYLOAD).encode())


def test_a_full_disk_loses_no_order_and_says_nothing(home, monkeypatch, tmp_path):
    """A file-size limit of 1 kB stands for the full disk: the write fails half way, as there."""
    (home / "worker.starting").touch()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    big = json.dumps(PAYLOAD | {"prompt": "x" * 5000}).encode()
    done = run(
        "claude_code",
        "log_event",
        big,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024)),
    )
    assert (done.stdout, done.stderr) == (b"", b"")
    assert spooled(home) == []
    assert list((home / "spool/tmp").iterdir()) == []


@pytest.mark.parametrize("program", ["log_event", "inject"])
@pytest.mark.parametrize("more", [{}, {"conversation_id": "c1", "hook_event_name": "postToolUse"}])
def test_a_hook_imports_only_what_is_light(more, program, no_worker):
    source = f"{paths.ROOT}/hooks/{program}.py"
    spy = (
        "import os, sys; exit_now = os._exit\n"
        "def tell(code):\n    os.write(2, repr(sorted(sys.modules)).encode()); exit_now(code)\n"
        f"os._exit = tell; sys.argv = ['x', '--client', 'claude_code']; __file__ = {source!r}\n"
        f"exec(compile(open({source!r}).read(), {source!r}, 'exec'))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", spy],
        input=json.dumps(PAYLOAD | more).encode(),
        capture_output=True,
    )
    loaded = set(eval(done.stderr))
    assert "dreamhook.hook." + program in loaded
    plain = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PLAIN], capture_output=True, check=True
    )
    assert loaded - LIGHT - set(eval(plain.stdout)) == set()


def test_a_project_cannot_bring_its_own_modules_into_a_hook(no_worker, tmp_path, monkeypatch):
    for name in ("os.py", "json.py", "sitecustomize.py", "dreamhook.py"):
        (tmp_path / name).write_text("import sys; sys.stderr.write('hijacked')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "os.py"))
    done = run("claude_code", "log_event", json.dumps(PAYLOAD).encode(), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(spooled(no_worker)) == 1


def test_a_missing_interpreter_does_not_fail_the_agent(tmp_path):
    wrappers = tmp_path / "wrappers"
    wrappers.mkdir()
    for client in CLIENTS:
        copy = wrappers / f"{client}.sh"
        copy.write_bytes(Path(f"{paths.ROOT}/wrappers/{client}.sh").read_bytes())
        copy.chmod(0o755)
        for program in ("log_event", "inject", "nonsense"):
            done = subprocess.run([str(copy), program], input=b"{}", capture_output=True)
            assert (done.returncode, done.stderr) == (0, b"")


def test_a_token_is_in_no_queue_file(no_worker):
    token = "ghp" + "_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    for client in CLIENTS:
        run(
            client,
            "log_event",
            json.dumps(PAYLOAD | {"prompt": f"export GITHUB_TOKEN={token}"}).encode(),
        )
    files = [file for file in no_worker.rglob("*") if file.is_file()]
    assert len(spooled(no_worker)) == len(CLIENTS)
    assert not any(token.encode() in file.read_bytes() for file in files)


def test_a_start_without_worker_is_answered_from_the_pack(no_worker, tmp_path):
    from dreamhook.hook import cached_start

    cached_start.write(str(tmp_path), {"claude_code": b'{"hookSpecificOutput":{}}\n'})
    start = json.dumps(PAYLOAD | {"hook_event_name": "SessionStart"}).encode()
    assert (
        run("claude_code", "inject", start, cwd=tmp_path).stdout == b'{"hookSpecificOutput":{}}\n'
    )
    assert run("claude_code", "inject", json.dumps(PAYLOAD).encode(), cwd=tmp_path).stdout == b""
    assert run("claude_code", "inject", start, cwd="/").stdout == b""


def test_a_prompt_that_talks_about_session_starts_gets_no_pack(no_worker, tmp_path):
    from dreamhook.hook import cached_start

    cached_start.write(str(tmp_path), {"claude_code": b"PACK\n"})
    prompt = json.dumps(
        {"prompt": '"hook_event_name":"SessionStart"', "hook_event_name": "UserPromptSubmit"}
    ).encode()
    assert run("claude_code", "inject", prompt, cwd=tmp_path).stdout == b""


def test_an_installed_worker_takes_no_orders_from_a_hooks_environment(home, monkeypatch):
    for name in (
        "NEO4J_URI",
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_API_KEY",
        "OPENAI_API_KEY",
        "CLAUDE_CODE_MESSAGING_TOKEN",
    ):
        monkeypatch.setenv(name, "x")
    assert notify.environment()["NEO4J_URI"] == "x"
    (home / "config.toml").write_text("")
    assert not any(name.startswith(notify.PRIVATE) for name in notify.environment())
    assert notify.environment()["PATH"] == os.environ["PATH"]
    drop_harness_variables()
    assert "CLAUDE_CODE_MESSAGING_TOKEN" not in os.environ


def test_a_worker_that_never_answers_costs_the_deadline_and_no_more(no_worker):
    import socket

    silent = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    here = os.getcwd()
    os.chdir(no_worker)
    silent.bind("worker.sock")
    os.chdir(here)
    silent.listen(1)
    began = time.monotonic()
    done = run("codex", "inject", json.dumps(PAYLOAD).encode())
    silent.close()
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert time.monotonic() - began < 10  # it came back at all; how fast is the bench's business
