"""The dream's timer: what is written for each kind, and that it comes out again."""

import os
import plistlib
import shlex
from pathlib import Path

import pytest

from dreamhook import paths
from dreamhook.install import schedule
from dreamhook.install.entries import Refused

CRONTAB = """#!/bin/sh
# a crontab that keeps its table in a file
case $1 in
    -l) cat "$HOME/table" 2>/dev/null ;;
    -r) rm "$HOME/table" ;;
    -) cat >"$HOME/table" ;;
esac
"""
SYSTEMCTL = """#!/bin/sh
echo "$@" >>"$HOME/systemctl.log"
exit "${SYSTEMCTL_STATUS:-0}"
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home, and a PATH with only what a test puts there."""
    for name in schedule.CARRIED:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tmp_path}/bin")
    (tmp_path / "bin").mkdir()
    for tool in ("cat", "rm"):
        (tmp_path / "bin" / tool).symlink_to(
            next(p for p in (f"/bin/{tool}", f"/usr/bin/{tool}") if os.path.exists(p))
        )
    monkeypatch.setattr("sys.platform", "linux")
    return tmp_path


def program(home: Path, name: str, text: str) -> None:
    (home / "bin" / name).write_text(text)
    (home / "bin" / name).chmod(0o755)


def test_without_any_timer_the_worker_sees_to_it(home: Path) -> None:
    assert schedule.timer() == "worker"
    assert schedule.plan("worker") == []
    assert "the worker starts a dream" in schedule.told("worker")


def test_a_systemctl_that_does_not_answer_is_not_used(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(home, "systemctl", SYSTEMCTL)
    program(home, "crontab", CRONTAB)
    monkeypatch.setenv("SYSTEMCTL_STATUS", "1")
    assert schedule.timer() == "cron"

    monkeypatch.setenv("SYSTEMCTL_STATUS", "0")
    assert schedule.timer() == "systemd"


@pytest.mark.parametrize("table", [None, "", "MAILTO=me\n5 4 * * * mine", "# ä\n5 4 * * * mine\n"])
def test_a_crontab_keeps_all_other_lines(home: Path, table: str | None) -> None:
    program(home, "crontab", CRONTAB)
    if table is not None:
        (home / "table").write_text(table)

    schedule.carry_out(schedule.plan("cron"))
    installed = (home / "table").read_text()
    schedule.carry_out(schedule.plan("cron"))

    assert (home / "table").read_text() == installed
    assert installed.startswith(table or "")
    assert f"17 */4 * * * {paths.ROOT}/.venv/bin/dreamhook dream --scheduled" in installed
    schedule.carry_out(schedule.plan_removal())
    left = (home / "table").read_text() if (home / "table").exists() else ""
    assert left.rstrip("\n") == (table or "").rstrip("\n")
    assert schedule.plan_removal() == []


def test_a_crontab_with_half_of_our_lines_is_refused(home: Path) -> None:
    program(home, "crontab", CRONTAB)
    (home / "table").write_text(f"{schedule.BEGIN}\n1 2 * * * mine\n")

    with pytest.raises(Refused, match="crontab -e"):
        schedule.plan_removal()


def test_cron_gets_the_folder_with_its_percent_sign_escaped(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(home, "crontab", CRONTAB)
    monkeypatch.setenv("DREAMHOOK_HOME", f"{home}/100% mine")

    text = (schedule.plan("cron")[0].after or b"").decode()

    line = next(line for line in text.splitlines() if line.startswith("17 "))
    assert r"100\% mine" in line
    assert shlex.split(line)[5].replace("\\", "") == f"DREAMHOOK_HOME={home}/100% mine"


def test_systemd_units_are_written_started_and_taken_out(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(home, "systemctl", SYSTEMCTL)
    monkeypatch.setenv("DREAMHOOK_HOME", f"{home}/50% of it")
    units = home / ".config" / "systemd" / "user"

    schedule.carry_out(schedule.plan("systemd"))

    service = (units / "dreamhook.dream.service").read_text()
    assert f'Environment="DREAMHOOK_HOME={home}/50%% of it"' in service
    assert f'ExecStart="{paths.ROOT}/.venv/bin/dreamhook" "dream" "--scheduled"' in service
    assert (
        "OnCalendar=*-*-* 0/4:17:00\nPersistent=true"
        in (units / "dreamhook.dream.timer").read_text()
    )
    assert (
        home / "systemctl.log"
    ).read_text() == "--user daemon-reload\n--user enable --now dreamhook.dream.timer\n"
    assert not [change for change in schedule.plan("systemd") if change.needed]

    (home / "systemctl.log").unlink()
    schedule.carry_out(schedule.plan_removal())
    assert list(units.iterdir()) == []
    assert (
        home / "systemctl.log"
    ).read_text() == "--user disable --now dreamhook.dream.timer\n--user daemon-reload\n"


def test_a_timer_that_is_not_taken_is_one_clear_line(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(home, "systemctl", "#!/bin/sh\necho no bus >&2\nexit 1\n")

    with pytest.raises(Refused, match="daemon-reload: no bus; the worker starts dreams instead"):
        schedule.carry_out(schedule.plan("systemd"))


def test_launchd_gets_a_calendar_and_the_folder(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DREAMHOOK_HOME", f"{home}/mine")

    [change] = schedule.plan("launchd")

    agent = plistlib.loads(change.after or b"")
    assert change.file == home / "Library" / "LaunchAgents" / "dreamhook.dream.plist"
    assert agent["ProgramArguments"] == [
        f"{paths.ROOT}/.venv/bin/dreamhook",
        "dream",
        "--scheduled",
    ]
    assert agent["EnvironmentVariables"] == {"DREAMHOOK_HOME": f"{home}/mine"}
    assert [time["Hour"] for time in agent["StartCalendarInterval"]] == [0, 4, 8, 12, 16, 20]


@pytest.mark.parametrize(
    ("hours", "calendar"), [("0.5", "*:17"), ("5", "0/4:17"), ("24", "4:17"), ("100", "4:17")]
)
def test_the_calendar_takes_hours_that_divide_the_day(
    home: Path, hours: str, calendar: str
) -> None:
    config = Path(paths.config_file())
    config.parent.mkdir(parents=True)
    config.write_text(f"[dream]\nevery_hours = {hours}\n")

    timer = next(change for change in schedule.plan("systemd") if change.file.suffix == ".timer")

    assert f"OnCalendar=*-*-* {calendar}:00\n" in (timer.after or b"").decode()


def test_taking_the_timer_out_does_not_need_a_config_that_can_be_read(home: Path) -> None:
    program(home, "systemctl", SYSTEMCTL)
    schedule.carry_out(schedule.plan("systemd"))
    config = Path(paths.config_file())
    config.parent.mkdir(parents=True)
    config.write_text("[dream\n")

    assert len(schedule.plan_removal()) == 2
