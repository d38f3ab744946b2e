"""Has the dream run every few hours, by whichever timer this machine has; without one the worker sees to it."""

import os
import plistlib
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from dreamhook import config, paths
from dreamhook.install import backups
from dreamhook.install.backups import Change
from dreamhook.install.entries import Refused

Timer = Literal["systemd", "launchd", "cron", "worker"]
LABEL = "dreamhook.dream"
CARRIED = ("DREAMHOOK_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")
MINUTE = 17  # not the full hour, when everything else starts
BEGIN, END = "# dreamhook: begin (taken out by ./install.sh --uninstall)", "# dreamhook: end"


def timer() -> Timer:
    """The best that answers: a client alone (systemctl in a container) is not enough."""
    if sys.platform == "darwin":
        return "launchd"
    if shutil.which("systemctl") and _run(["systemctl", "--user", "show-environment"])[0] == 0:
        return "systemd"
    return "cron" if shutil.which("crontab") else "worker"


def plan(chosen: Timer) -> list[Change]:
    """The files that timer needs; a crontab is shown as the file `crontab`."""
    wanted = (
        _units() if chosen == "systemd" else {_agent(): _plist()} if chosen == "launchd" else {}
    )
    changes = [Change(file, backups.read(file), text.encode()) for file, text in wanted.items()]
    if chosen == "cron":
        table = _crontab()
        changes.append(
            Change(Path("crontab"), table, _without_block(table or b"") + _cron_block().encode())
        )
    return changes


def plan_removal() -> list[Change]:
    """What there is of ours in any timer."""
    ours = [_unit("service"), _unit("timer"), _agent()]
    found = [Change(file, backups.read(file), None) for file in ours if file.exists()]
    table = _crontab() if shutil.which("crontab") else None
    if table and BEGIN.encode() in table:
        found.append(Change(Path("crontab"), table, _without_block(table) or None))
    return found


def carry_out(changes: Sequence[Change]) -> None:
    """Make the planned changes and have the timer know. Raises Refused, in one line, when it does not take them."""
    changes = [change for change in changes if change.needed]
    units = [change for change in changes if change.file.suffix in (".service", ".timer")]
    if any(change.after is None for change in units):
        _run(["systemctl", "--user", "disable", "--now", f"{LABEL}.timer"])
    for change in changes:
        if change.file.suffix == ".plist":
            _run(["launchctl", "bootout", f"gui/{os.getuid()}/{LABEL}"])
        if change.file.name == "crontab":
            _must(["crontab", "-"] if change.after else ["crontab", "-r"], change.after or b"")
        else:
            backups.apply(change, mode=0o644)
        if change.file.suffix == ".plist" and change.after:
            _must(["launchctl", "bootstrap", f"gui/{os.getuid()}", str(change.file)])
    if units:
        _must(["systemctl", "--user", "daemon-reload"])
        if any(change.after is not None for change in units):
            _must(["systemctl", "--user", "enable", "--now", f"{LABEL}.timer"])


def told(chosen: Timer) -> str:
    """For people: what will start the dream."""
    every = f"every {_hours()} hours"
    return {
        "systemd": f"systemd user timer {LABEL}.timer, {every}",
        "launchd": f"launchd agent {LABEL}, {every}",
        "cron": f"crontab entry, {every}",
        "worker": f"no timer on this machine: the worker starts a dream {every} while you work",
    }[chosen]


def _unit(kind: str) -> Path:
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return Path(base, "systemd/user", f"{LABEL}.{kind}")


def _units() -> dict[Path, str]:
    environment = "".join(
        f"Environment={_quoted(f'{name}={value}')}\n" for name, value in _carried().items()
    )
    service = f"""\
[Unit]
Description=dreamhook: distil what the coding agents did into memories

[Service]
Type=oneshot
{environment}ExecStart={" ".join(_quoted(word).replace("$", "$$") for word in _command())}
Nice=10
"""
    hours = "*" if _hours() == 1 else "4" if _hours() == 24 else f"0/{_hours()}"
    calendar = f"""\
[Unit]
Description=dreamhook: every few hours

[Timer]
OnCalendar=*-*-* {hours}:{MINUTE}:00
Persistent=true
RandomizedDelaySec=15m

[Install]
WantedBy=timers.target
"""
    return {_unit("service"): service, _unit("timer"): calendar}


def _agent() -> Path:
    return Path(os.path.expanduser(f"~/Library/LaunchAgents/{LABEL}.plist"))


def _plist() -> str:
    content = {
        "Label": LABEL,
        "ProgramArguments": _command(),
        "EnvironmentVariables": _carried(),
        # a calendar time that passed while asleep is made up for at wake; an interval is not
        "StartCalendarInterval": [
            {"Hour": hour, "Minute": MINUTE} for hour in range(0, 24, _hours())
        ],
        "ProcessType": "Background",
    }
    return plistlib.dumps(content, sort_keys=False).decode()


def _cron_block() -> str:
    variables = "".join(f"{name}={shlex.quote(value)} " for name, value in _carried().items())
    command = f"{variables}{shlex.join(_command())} >/dev/null 2>&1".replace(
        "%", r"\%"
    )  # cron cuts at a bare %
    hours = "*" if _hours() == 1 else "4" if _hours() == 24 else f"*/{_hours()}"
    return f"{BEGIN}\n{MINUTE} {hours} * * * {command}\n{END}\n"


def _without_block(table: bytes) -> bytes:
    """A crontab less our lines; one that lacks its last newline gets it, or our first line would join its last."""
    head, begin, rest = table.partition(BEGIN.encode() + b"\n")
    if not begin:
        return table if table.endswith(b"\n") or not table else table + b"\n"
    _, end, tail = rest.partition(END.encode() + b"\n")
    if not end:
        raise Refused(
            f"crontab: has {BEGIN!r} without {END!r}; take our lines out with `crontab -e` and run again"
        )
    return head + tail


def _crontab() -> bytes | None:
    status, output = _run(["crontab", "-l"])
    return output if status == 0 else None


def _command() -> list[str]:
    return [f"{paths.ROOT}/.venv/bin/dreamhook", "dream", "--scheduled"]


def _carried() -> dict[str, str]:
    """A timer's environment is not the shell's: what says where things are goes along."""
    return {name: os.path.abspath(os.environ[name]) for name in CARRIED if os.environ.get(name)}


def _hours() -> int:
    """Whole hours that divide the day, as calendars want them."""
    return max(
        hours for hours in (1, 2, 3, 4, 6, 8, 12, 24) if hours <= max(1, config.load().dream_hours)
    )


def _quoted(word: str) -> str:
    """A word for a unit file: % is systemd's own sign."""
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%") + '"'


def _must(command: list[str], text: bytes = b"") -> None:
    status, output = _run(command, text, subprocess.STDOUT)
    if status:
        reason = " ".join(output.decode("utf-8", "replace").split()) or f"exit status {status}"
        raise Refused(f"{shlex.join(command)}: {reason}; the worker starts dreams instead")


def _run(
    command: list[str], text: bytes = b"", errors: int = subprocess.DEVNULL
) -> tuple[int, bytes]:
    try:
        done = subprocess.run(
            command, input=text, stdout=subprocess.PIPE, stderr=errors, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return 1, str(error).encode()
    return done.returncode, done.stdout
