"""Install, use, uninstall on rich settings of each harness: other people's lines stay, ours come and go."""

import hashlib
import json
import os
import pty
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SAMPLES = Path(__file__).parent / "settings"
FILES = {
    "claude_code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "cursor": ".cursor/hooks.json",
}
CASES = [(file.parent.name, file.name) for file in sorted(SAMPLES.glob("*/*.json"))]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home of somebody with blanks and letters of their own in its name."""
    folder = tmp_path / "Zoë's home"
    folder.mkdir()
    return folder


@pytest.fixture
def environment(home: Path, tmp_path: Path) -> dict[str, str]:
    """No harness on PATH, no timer of this machine's real user, nothing of ours in the variables."""
    programs = tmp_path / "bin"
    programs.mkdir()
    table = tmp_path / "table"
    stand_in = f"#!/bin/sh\ncase $1 in -l) cat '{table}' 2>&1 ;; -r) rm '{table}' ;; -) cat >'{table}' ;; esac\n"
    for name, text in (("systemctl", "#!/bin/sh\nexit 1\n"), ("crontab", stand_in)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    return {
        "HOME": str(home),
        "PATH": f"{programs}:/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        "PIP_CACHE_DIR": str(
            home.parent / "pip"
        ),  # pip's, and not what an installation leaves behind
    }


@pytest.fixture
def install(environment: dict[str, str]) -> Run:
    """The installer without its shell part, without a terminal."""

    def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "dreamhook.install", *arguments],
            env=environment | variables,
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        # decoded by hand: text=True would make "\r\n" into "\n"
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
        )

    return run


def put(home: Path, client: str, sample: str, name: str | None = None) -> Path:
    """A sample as that harness's settings file, readable by others as people have it."""
    target = home / FILES[client] if name is None else (home / FILES[client]).with_name(name)
    target.parent.mkdir(exist_ok=True)
    shutil.copyfile(SAMPLES / client / sample, target)
    target.chmod(0o640)
    return target


def tree(folder: Path) -> dict[str, str]:
    """Every path below with its mode and contents."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = os.readlink(path) if path.is_symlink() else "" if path.is_dir() else _digest(path)
        found[str(path.relative_to(folder))] = f"{status.st_mode:o} {content}"
    return found


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def without_ours(data: dict[str, Any]) -> dict[str, Any]:
    hooks = {
        event: [entry for entry in entries if f"{ROOT}/wrappers/" not in json.dumps(entry)]
        for event, entries in data.get("hooks", {}).items()
        if isinstance(entries, list)
    }
    return data | {"hooks": {event: entries for event, entries in hooks.items() if entries}}


def commands(data: dict[str, Any]) -> list[str]:
    """All commands of ours, in order."""
    found = []
    for entries in data["hooks"].values():
        for entry in entries if isinstance(entries, list) else []:
            for handler in entry.get("hooks", [entry]):
                if f"{ROOT}/wrappers/" in handler["command"]:
                    found.append(handler["command"])
    return found


@pytest.mark.parametrize(("client", "sample"), CASES)
def test_uninstalling_puts_a_file_back_to_the_byte(
    home: Path, install: Run, client: str, sample: str
) -> None:
    file = put(home, client, sample)
    before, original = tree(file.parent), json.loads(file.read_text(encoding="utf-8") or "{}")

    assert install("--yes", "--hooks-only").returncode == 0
    installed = json.loads(file.read_text(encoding="utf-8"))
    version = {"version": 1} if client == "cursor" else {}  # Cursor takes no file without one
    assert without_ours(installed) == version | without_ours(original)
    assert len(commands(installed)) >= 9
    assert file.stat().st_mode & 0o777 == 0o640

    assert install("--uninstall", "--hooks-only").returncode == 0
    assert tree(file.parent) == before


@pytest.mark.parametrize(("client", "sample"), CASES)
def test_installing_twice_changes_nothing_and_makes_no_second_backup(
    home: Path, install: Run, client: str, sample: str
) -> None:
    put(home, client, sample)
    install("--yes", "--hooks-only")
    once = tree(home)

    again = install("--yes", "--hooks-only")

    assert tree(home) == once
    assert "unchanged" in again.stderr
    assert len([path for path in once if "/backups/" in path]) == 1


@pytest.mark.parametrize(("client", "sample"), CASES)
def test_what_was_changed_since_is_kept(home: Path, install: Run, client: str, sample: str) -> None:
    file = put(home, client, sample)
    original = json.loads(file.read_text(encoding="utf-8") or "{}")
    install("--yes", "--hooks-only")
    changed = json.loads(file.read_text(encoding="utf-8")) | {"later": "mine"}
    file.write_text(json.dumps(changed), encoding="utf-8")

    assert install("--uninstall", "--hooks-only").returncode == 0

    left = json.loads(file.read_text(encoding="utf-8"))
    assert commands({"hooks": {}} | left) == []
    assert left.pop("later") == "mine"
    left.pop("version", None)
    original.pop("version", None)
    assert without_ours(left) == without_ours(original)


def test_an_update_after_a_change_of_the_users_goes_back_to_the_users_file(
    home: Path, install: Run
) -> None:
    file = put(home, "claude_code", "rich.json")
    install("--yes", "--hooks-only")
    text = file.read_text(encoding="utf-8").replace('"opus"', '"haiku"')
    # as an older version of ours would have it
    file.write_text(
        text.replace('claude_code.sh inject"', 'claude_code.sh inject --old"'), encoding="utf-8"
    )

    assert "added to" in install("--yes", "--hooks-only").stderr
    assert "--old" not in file.read_text(encoding="utf-8")
    install("--uninstall", "--hooks-only")

    wanted = (
        (SAMPLES / "claude_code" / "rich.json")
        .read_text(encoding="utf-8")
        .replace('"opus"', '"haiku"')
    )
    assert file.read_text(encoding="utf-8") == wanted


@pytest.mark.parametrize(("client", "sample"), CASES)
def test_the_diff_of_a_dry_run_is_the_change_and_nothing_was_changed(
    home: Path, install: Run, tmp_path: Path, client: str, sample: str
) -> None:
    file = put(home, client, sample)
    before = tree(home)
    shown = install("--dry-run", "--hooks-only")
    assert tree(home) == before
    assert shown.returncode == 0

    by_hand = tmp_path / "by hand"
    shutil.copyfile(file, by_hand)
    diff = "--- " + shown.stdout.split(f"+++ {file}\n")[0].rpartition("--- ")[2]
    diff += f"+++ {file}\n" + shown.stdout.split(f"+++ {file}\n")[1]
    subprocess.run(["patch", "--binary", "-s", str(by_hand)], input=diff.encode(), check=True)
    install("--yes", "--hooks-only")

    assert by_hand.read_bytes() == file.read_bytes()


def test_a_dry_run_of_uninstalling_shows_what_goes(home: Path, install: Run) -> None:
    file = put(home, "cursor", "hooks.json")
    install("--yes", "--hooks-only")
    installed = tree(home)

    shown = install("--uninstall", "--dry-run", "--hooks-only")

    assert tree(home) == installed
    removed = [line for line in shown.stdout.splitlines() if line.startswith("-")]
    assert "".join(removed).count("wrappers/cursor.sh") == len(
        commands(json.loads(file.read_text()))
    )
    assert "wrappers/cursor.sh" not in "".join(set(shown.stdout.splitlines()) - set(removed))


def test_files_and_folders_we_made_go_again(home: Path, install: Run) -> None:
    before = tree(home)

    assert install("--yes", "--hooks-only", "--harness", "codex,cursor").returncode == 0
    assert (home / ".codex/hooks.json").exists()
    install("--uninstall", "--hooks-only")

    assert {path for path in tree(home) if not path.startswith(".config")} == set(before)


def test_a_link_stays_a_link_and_its_target_is_put_back(home: Path, install: Run) -> None:
    file = put(home, "claude_code", "rich.json")
    target = home / "dotfiles" / "claude.json"
    target.parent.mkdir()
    file.rename(target)
    file.symlink_to("../dotfiles/claude.json")
    before = tree(home)

    install("--yes", "--hooks-only")
    assert file.is_symlink()
    assert commands(json.loads(target.read_text(encoding="utf-8")))
    install("--uninstall", "--hooks-only")

    assert {
        path: state for path, state in tree(home).items() if not path.startswith(".config")
    } == before


@pytest.mark.parametrize(
    ("client", "content", "said"),
    [
        ("claude_code", b'{\n  "a": 1,\n}\n', "settings.json:3: not valid JSON"),
        ("claude_code", b'{\n  // mine\n  "a": 1}\n', "settings.json:2: not valid JSON"),
        ("claude_code", b"[]\n", "settings.json:1: the top level is not an object"),
        ("claude_code", b'{"hooks": []}', 'settings.json:1: "hooks" is not an object'),
        ("claude_code", b'{\n"a": "\xff"}', "settings.json:2: is not UTF-8"),
        ("codex", b"\xef\xbb\xbf{}", "hooks.json:1: begins with a byte order mark"),
        ("cursor", b'{"version": "1"}', 'hooks.json:1: "version" is not a number'),
    ],
)
def test_malformed_settings_are_refused_untouched_and_the_others_installed(
    home: Path, install: Run, client: str, content: bytes, said: str
) -> None:
    for path in FILES.values():
        (home / path).parent.mkdir()
    file = home / FILES[client]
    file.write_bytes(content)

    done = install("--yes", "--hooks-only")

    assert done.returncode == 1
    assert said in done.stderr
    assert len([line for line in done.stderr.splitlines() if str(file) in line]) == 1
    assert file.read_bytes() == content
    for other in set(FILES) - {client}:
        assert commands(json.loads((home / FILES[other]).read_text()))


def test_a_byte_order_mark_that_the_harness_reads_stays(home: Path, install: Run) -> None:
    file = put(home, "claude_code", "no_hooks.json")
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    before = file.read_bytes()

    assert install("--yes", "--hooks-only").returncode == 0
    assert file.read_bytes().startswith(b"\xef\xbb\xbf{")
    install("--uninstall", "--hooks-only")

    assert file.read_bytes() == before


def test_codex_hooks_in_config_toml_are_joined_there(home: Path, install: Run) -> None:
    file = put(home, "codex", "config_with_hooks.toml", "config.toml")
    before = file.read_bytes()

    assert install("--yes", "--hooks-only").returncode == 0
    assert not (home / ".codex/hooks.json").exists()
    assert file.read_bytes().startswith(before)
    assert len(commands(tomllib.loads(file.read_text(encoding="utf-8")))) == 15
    again = install("--yes", "--hooks-only")
    assert "unchanged" in again.stderr
    install("--uninstall", "--hooks-only")

    assert file.read_bytes() == before


def test_trust_that_codex_notes_meanwhile_is_kept(home: Path, install: Run) -> None:
    file = put(home, "codex", "config_with_hooks.toml", "config.toml")
    before = file.read_text(encoding="utf-8")
    install("--yes", "--hooks-only")
    trust = '\n[hooks.state."x:session_start:1:0"]\ntrusted_hash = "sha256:11"\n'
    file.write_text(file.read_text(encoding="utf-8") + trust, encoding="utf-8")

    install("--uninstall", "--hooks-only")

    assert file.read_text(encoding="utf-8") == before + "\n" + trust


def test_trust_records_alone_do_not_draw_our_hooks_into_config_toml(
    home: Path, install: Run
) -> None:
    file = put(home, "codex", "config_with_trust_only.toml", "config.toml")
    before = file.read_bytes()

    install("--yes", "--hooks-only")

    assert file.read_bytes() == before
    assert commands(json.loads((home / ".codex/hooks.json").read_text()))


def test_hooks_behind_ours_are_named_because_codex_will_ask_again(home: Path, install: Run) -> None:
    file = put(home, "codex", "hooks.json")
    install("--yes", "--hooks-only")
    data = json.loads(file.read_text(encoding="utf-8"))
    data["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "later"}]})
    file.write_text(json.dumps(data), encoding="utf-8")

    assert "1 hooks behind ours" in install("--uninstall", "--hooks-only").stderr


def test_a_folder_named_by_the_harnesss_variable_is_used(
    home: Path, install: Run, tmp_path: Path
) -> None:
    place = tmp_path / "elsewhere"
    place.mkdir()

    install("--yes", "--hooks-only", CLAUDE_CONFIG_DIR=str(place))

    assert commands(json.loads((place / "settings.json").read_text()))
    assert not (home / ".claude").exists()


def test_a_home_of_its_own_goes_into_each_command(home: Path, install: Run, tmp_path: Path) -> None:
    (home / ".cursor").mkdir()
    mine = tmp_path / "my 'own'"

    install("--yes", "--hooks-only", DREAMHOOK_HOME=str(mine))

    registered = commands(json.loads((home / ".cursor/hooks.json").read_text()))
    for command in registered:
        words = subprocess.run(
            ["/bin/sh", "-c", f"printf '%s\\n' {command}"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert words.stdout.splitlines()[2:] == ["--home", str(mine)]
    assert (mine / "installed.json").stat().st_mode & 0o777 == 0o600
    assert mine.stat().st_mode & 0o777 == 0o700
    assert not (home / ".config").exists()


def test_a_checkout_that_was_moved_replaces_its_old_entries(home: Path, install: Run) -> None:
    file = put(home, "claude_code", "rich.json")
    install("--yes", "--hooks-only")
    for path in (file, home / ".config/dreamhook/installed.json"):
        path.write_text(
            path.read_text(encoding="utf-8").replace(str(ROOT), "/where/it/was"), encoding="utf-8"
        )

    install("--yes", "--hooks-only")

    text = file.read_text(encoding="utf-8")
    assert "/where/it/was" not in text
    assert len(commands(json.loads(text))) == 14


def test_a_switch_of_the_users_against_hooks_is_told_and_left(home: Path, install: Run) -> None:
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text('{"disableAllHooks": true}')

    done = install("--yes", "--hooks-only")

    assert "disableAllHooks = true keeps all hooks from running" in done.stdout
    assert json.loads((home / ".claude/settings.json").read_text())["disableAllHooks"] is True


def test_one_harness_alone_can_be_taken_out(home: Path, install: Run) -> None:
    for path in FILES.values():
        (home / path).parent.mkdir()
    install("--yes", "--hooks-only")

    install("--uninstall", "--harness", "cursor")

    assert not (home / FILES["cursor"]).exists()
    assert (home / FILES["codex"]).exists()


def test_a_given_store_is_noted_with_its_password_in_a_file_of_its_own(
    home: Path, install: Run
) -> None:
    variables = {
        "NEO4J_URI": "neo4j+s://team.example:7687",
        "NEO4J_USER": "ada",
        "NEO4J_PASSWORD": "s3cret-word",
    }
    shown = install("--dry-run", "--hooks-only", **variables)
    install("--yes", "--hooks-only", **variables)

    config = home / ".config/dreamhook/config.toml"
    store = tomllib.loads(config.read_text(encoding="utf-8"))["neo4j"]
    password = Path(store["password_file"])
    assert (store["uri"], store["user"]) == ("neo4j+s://team.example:7687", "ada")
    assert password.read_text().splitlines() == ["s3cret-word"]
    assert password.stat().st_mode & 0o777 == config.stat().st_mode & 0o777 == 0o600
    assert "s3cret-word" not in shown.stdout + config.read_text(encoding="utf-8")


def test_a_config_that_is_there_is_never_written(home: Path, install: Run) -> None:
    config = home / ".config/dreamhook/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("# mine\n")

    done = install("--yes", "--hooks-only", NEO4J_URI="bolt://there:7687")

    assert config.read_text() == "# mine\n"
    assert 'add [neo4j] uri = "bolt://there:7687"' in done.stdout


def test_purging_a_folder_that_holds_more_than_us_is_refused(home: Path, install: Run) -> None:
    (home / "precious").write_text("x")
    (home / "spool").mkdir()

    done = install("--uninstall", "--purge", "--hooks-only", DREAMHOOK_HOME=str(home))

    assert done.returncode == 1
    assert "holds more than dreamhook" in done.stderr
    assert (home / "precious").exists()


def test_purging_removes_what_was_noted(home: Path, install: Run) -> None:
    (home / ".cursor").mkdir()
    install("--yes", "--hooks-only")

    assert install("--uninstall", "--purge", "--hooks-only").returncode == 0

    assert set(tree(home)) == {".config", ".cursor"}


@pytest.mark.parametrize(
    ("answer", "agreed"), [("y", True), ("n", False), ("", False), ("\x04", False)]
)
def test_on_a_terminal_it_explains_and_asks(
    home: Path, environment: dict[str, str], answer: str, agreed: bool
) -> None:
    file = put(home, "claude_code", "rich.json")
    before = tree(home)
    terminal, its_end = pty.openpty()
    os.write(terminal, f"{answer}\n".encode())

    done = subprocess.run(
        [sys.executable, "-P", "-m", "dreamhook.install", "--hooks-only"],
        env=environment,
        stdin=its_end,
        capture_output=True,
        text=True,
        check=False,
    )
    os.close(terminal)
    os.close(its_end)

    assert "prompts, tool calls" in done.stdout
    assert f"{home}/.local/share/dreamhook/neo4j" in done.stdout
    assert (done.returncode == 0) is agreed
    assert (tree(home) != before) is agreed
    assert bool(commands({"hooks": {}} | json.loads(file.read_text(encoding="utf-8")))) is agreed


@pytest.mark.parametrize(
    "arguments",
    [
        ["--harness", "emacs"],
        ["--purge"],
        ["--uninstall", "--purge", "--harness", "codex"],
        ["--what"],
    ],
)
def test_wrong_options_change_nothing(home: Path, install: Run, arguments: list[str]) -> None:
    done = install("--yes", *arguments)

    assert done.returncode == 2
    assert tree(home) == {}


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Path]:
    """A fresh clone, as far as the installer needs it: without .venv."""
    folder = tmp_path / "clone of mine"
    skip = shutil.ignore_patterns("__pycache__")
    for name in ("dreamhook", "hooks", "wrappers", "cypher", "dream"):
        shutil.copytree(ROOT / name, folder / name, ignore=skip)
    for name in ("install.sh", "pyproject.toml"):
        shutil.copy2(ROOT / name, folder / name)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize(
    "arguments", [[], ["--harness", "codex"], ["--dry-run"], ["--uninstall"], ["--help"]]
)
def test_without_consent_not_even_the_checkout_changes(
    home: Path, environment: dict[str, str], checkout: Path, arguments: list[str]
) -> None:
    put(home, "claude_code", "rich.json")
    before = tree(home), tree(checkout)
    python = Path(sys.executable).resolve().parent

    done = subprocess.run(
        [checkout / "install.sh", *arguments],
        env=environment | {"PATH": f"{environment['PATH'].split(':')[0]}:{python}:/usr/bin:/bin"},
        cwd=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (tree(home), tree(checkout)) == before
    if arguments in ([], ["--harness", "codex"]):
        assert done.returncode == 1
        assert "nothing was changed" in done.stderr
        assert "--yes" in done.stderr
    else:
        assert done.returncode == 0, done.stderr


def test_without_a_fitting_python_one_line_says_so(
    environment: dict[str, str], checkout: Path, tmp_path: Path
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("sh", "dirname", "cksum", "cat", "head", "grep"):
        (tools / name).symlink_to(shutil.which(name) or "")
    (tools / "python3").write_text("#!/bin/sh\nexit 1\n")
    (tools / "python3").chmod(0o755)

    done = subprocess.run(
        [checkout / "install.sh", "--yes"],
        env=environment | {"PATH": str(tools)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode != 0
    assert done.stderr.splitlines() == [
        "install.sh: no Python 3.11 or newer found on PATH; install one and run this again"
    ]


@pytest.mark.neo4j
def test_installing_proves_itself_and_uninstalling_leaves_the_home_as_it_was(
    home: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    put(home, "claude_code", "rich.json")
    put(home, "codex", "config_with_hooks.toml", "config.toml")
    put(home, "cursor", "hooks.json")
    before = tree(home)
    variables = environment | {"DREAMHOOK_HOME": str(tmp_path / "mine")}

    def run(*command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            env=variables,
            cwd=home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    try:
        done = run(str(ROOT / "install.sh"), "--yes")
        assert done.returncode == 0, done.stderr
        for harness in ("Claude Code", "Codex", "Cursor"):
            assert harness in done.stdout
        assert done.stdout.count("UserPromptSubmit") == 3
        assert done.stdout.count("self-test: does a prompt arrive?") == 3
        assert f"cat {tmp_path / 'mine'}/neo4j/password" in done.stdout
        assert f"DREAMHOOK_HOME={tmp_path / 'mine'}" in done.stdout
        assert "/hooks" in done.stdout
        status = json.loads(run(str(ROOT / ".venv/bin/dreamhook"), "status", "--json").stdout)
        assert all(status["harnesses"][client]["installed"] for client in FILES)
        assert status["spool"]["depth"] == 0

        assert "dream --scheduled" in (tmp_path / "table").read_text()

        installed = tree(home)
        again = run(str(ROOT / "install.sh"), "--yes")
        assert again.returncode == 0, again.stderr
        assert tree(home) == installed
    finally:
        gone = run(str(ROOT / "install.sh"), "--uninstall", "--purge")

    assert gone.returncode == 0, gone.stderr
    assert not (tmp_path / "mine").exists()
    assert not (tmp_path / "table").exists()
    assert tree(home) == before
