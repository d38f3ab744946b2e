"""The durable queue's two ends and its upkeep, against disks that are full, read-only, slow to be emptied or wrong."""

import contextlib
import gzip
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dreamhook.hook import log, notify
from dreamhook.record.drain import turn
from dreamhook.scrub.key import passing_key
from dreamhook.spool import quota, reader, reduce, writer

DAY_S = 86_400


def payload(number=0, **more):
    return json.dumps(
        {"session_id": "s", "hook_event_name": "Notification", "message": str(number)} | more
    ).encode()


def messages():
    return [reader.read(file).payload["message"] for file in reader.waiting()]


@pytest.fixture
def small_disk(home):
    """The state folder on a disk of 1 MB of its own."""
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", home], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("only root may mount a small disk")
    yield home
    subprocess.run(["mount", "-o", "remount,rw", home], check=True)
    subprocess.run(["umount", "-l", home], check=True)


# order


def test_a_clock_that_is_put_back_does_not_change_the_order(home, monkeypatch):
    now = time.time_ns()
    for number, moment in enumerate((now, now + 5, now - 3600 * 10**9, now - 10, now + 7, now + 7)):
        monkeypatch.setattr(time, "time_ns", lambda moment=moment: moment)
        writer.put(payload(number), "codex")
    assert messages() == ["0", "1", "2", "3", "4", "5"]


def test_an_event_keeps_the_wall_clocks_time_whatever_its_name_says(home, monkeypatch):
    monkeypatch.setattr(time, "time_ns", lambda: 2_000_000_000)
    writer.put(payload(), "codex")
    monkeypatch.setattr(time, "time_ns", lambda: 1_000_000_000)
    writer.put(payload(), "codex")
    assert [reader.read(file).time_ns for file in reader.waiting()] == [
        2_000_000_000,
        1_000_000_000,
    ]


def test_the_first_few_are_the_oldest_of_all_folders(home, monkeypatch):
    folder = writer.folders()[-1]
    writer.make(folder)
    for number in range(6):
        name = f"{number:020d}-1-ffff"
        place = Path(folder if number % 2 else writer.folders()[0], "new")
        place.mkdir(parents=True, exist_ok=True)
        (place / name).touch()
    assert [int(file.name[:20]) for file in reader.waiting(4)] == [0, 1, 2, 3]
    assert len(reader.waiting()) == 6
    for file in reader.waiting():
        file.unlink()
    assert not reader.anything_waits()


# size


@pytest.mark.parametrize("fields", [1, 40, 30_000])
def test_an_oversize_payload_is_trimmed_field_by_field(fields, home):
    long = {f"field{number}": "x" * (6_000_000 // fields) for number in range(fields)}
    writer.put(payload(7, tool_input=long, cwd="/a"), "codex")
    [file] = reader.waiting()
    assert file.stat().st_size <= writer.LIMIT + 100
    kept = reader.read(file).payload
    assert (
        kept.items()
        >= {
            "session_id": "s",
            "hook_event_name": "Notification",
            "cwd": "/a",
            "message": "7",
        }.items()
    )
    assert kept[reduce.NOTE]
    assert reader.counted("reduced") == 1
    if fields == 1:
        assert kept[reduce.NOTE] == {"tool_input.field0": 6_000_000}
        assert kept["tool_input"]["field0"].startswith("xxx")
        assert "5900000 characters left out" in kept["tool_input"]["field0"]


def test_an_oversize_payload_in_two_hooks_becomes_the_same_twice(home):
    for _ in range(2):
        writer.put(payload(prompt="ü" * 2_000_000), "codex")
    one, two = (reader.read(file).payload for file in reader.waiting())
    assert one == two


@pytest.mark.parametrize(
    "odd",
    [
        b"no json " * 300_000,
        b'{"a":' * 400_000,
        b"[" + b"1," * 900_000 + b"1]",
        b"\xff" * 2_000_000,
    ],
)
def test_an_oversize_payload_that_is_no_object_is_cut_and_known_for_it(odd, home):
    writer.put(odd, "codex")
    [file] = reader.waiting()
    assert file.stat().st_size <= writer.LIMIT + 100
    with pytest.raises(reader.DamagedError, match="cut"):
        reader.read(file)


# quota


def test_over_quota_bodies_go_before_heads(home):
    writer.put(payload(prompt="x" * 5000), "codex")
    quota.survey(max_bytes=8192, max_files=100)
    writer.put(
        payload(
            1,
            prompt="x" * 5000,
            cwd="/a",
            tool_use_id="t1",
            workspace_roots=["/a"],
            tool_input={"a": "b"},
        ),
        "codex",
    )
    _, file = reader.waiting()
    kept = reader.read(file).payload
    assert (kept["session_id"], kept["tool_use_id"], kept["workspace_roots"]) == ("s", "t1", ["/a"])
    assert kept[reduce.NOTE] == {"prompt": 5002, "tool_input": 9}
    assert "prompt" not in kept
    assert (reader.counted("reduced"), reader.counted("lost")) == (1, 0)


def test_over_twice_the_quota_events_are_counted_as_lost(home):
    for number in range(4):
        writer.put(payload(number), "codex")
    quota.survey(max_bytes=1 << 30, max_files=2)
    with pytest.raises(OSError, match="quota"):
        writer.put(payload(), "codex")
    assert (len(reader.waiting()), reader.counted("lost")) == (4, 1)


def test_all_is_kept_again_when_there_is_room(home):
    files = [writer.put(payload(number), "codex") for number in range(10)]
    quota.survey(max_bytes=1 << 30, max_files=10)
    assert writer.quota_mark() == writer.BODIES_LEFT_OUT
    os.unlink(files[0])
    quota.survey(max_bytes=1 << 30, max_files=9)
    assert writer.quota_mark() == writer.BODIES_LEFT_OUT, (
        "not before there is some room: it must not flutter"
    )
    os.unlink(files[1])
    quota.survey(max_bytes=1 << 30, max_files=9)
    assert writer.quota_mark() == 0


def test_a_small_payload_loses_nothing_over_quota(home):
    writer.put(payload(), "codex")
    quota.survey(max_bytes=1 << 30, max_files=1)
    assert writer.quota_mark() == writer.BODIES_LEFT_OUT
    writer.put(payload(1), "codex")
    assert reader.counted("reduced") == 0
    assert messages() == ["0", "1"]


def test_what_was_set_aside_counts_for_the_quota_too(home):
    reader.set_aside(Path(writer.put(payload(prompt="x" * 9000), "codex")))
    assert quota.survey(max_bytes=9000, max_files=100) == (0, 12288)
    assert writer.quota_mark() == writer.BODIES_LEFT_OUT


# disks


def test_a_full_disk_sends_events_to_the_next_folder_and_says_nothing_of_loss(small_disk):
    (small_disk / "ballast").write_bytes(b"x" * 900_000)
    for number in range(60):
        writer.put(payload(number, prompt="x" * 3000), "codex")
    folders = {file.parent for file in reader.waiting()}
    assert len(folders) == 2
    assert messages() == [str(number) for number in range(60)]
    assert reader.counted("lost") == 0
    assert list(reader.files("tmp")) == [], "a full disk needs the room"


def test_a_full_disk_can_be_emptied(small_disk):
    writer.put(payload(0), "codex")
    (small_disk / "ballast").write_bytes(b"")
    try:
        with open(small_disk / "ballast", "wb", buffering=0) as ballast:
            while True:
                ballast.write(b"x" * 4096)
    except OSError:
        pass
    with turn() as ours:
        assert ours
    reader.remove(reader.waiting())
    assert not reader.anything_waits()


def test_a_read_only_disk_sends_events_to_the_next_folder_and_can_be_read(small_disk):
    writer.put(payload(0), "codex")
    with turn():
        pass
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    writer.put(payload(1), "codex")
    assert messages() == ["0", "1"]
    with turn() as ours:
        assert ours
    stuck, movable = reader.waiting()
    reader.remove([stuck, movable])
    reader.set_aside(stuck)
    assert reader.waiting() == [], (
        "what can be neither deleted nor moved is tried once and holds nobody up"
    )
    quota.survey(max_bytes=1 << 30, max_files=100)
    quota.sweep(time.time())


def test_no_folder_at_all_is_an_error_and_not_a_hang(home, monkeypatch):
    blocked = home / "blocked"
    blocked.touch()
    monkeypatch.setattr(writer, "folders", lambda: [f"{blocked}/spool"])
    with pytest.raises(OSError, match="blocked"):
        writer.put(payload(), "codex")


def test_a_fallback_that_somebody_else_made_is_not_used(home, monkeypatch, tmp_path):
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (tmp_path / "link").symlink_to(theirs)
    (home / "blocked").touch()
    monkeypatch.setattr(writer, "folders", lambda: [f"{home}/blocked/spool", f"{tmp_path}/link"])
    with pytest.raises(OSError, match="blocked"):
        writer.put(payload(), "codex")
    assert list(theirs.iterdir()) == []
    (theirs / "new").mkdir()
    (theirs / "new/00000000000000000001-1-ffff").write_bytes(b"dreamhook/1 codex 1 2\n{}")
    assert reader.waiting() == [], "what others put there is no event of ours"


def test_a_file_that_vanishes_between_listing_and_reading_is_nothing(home):
    file = Path(writer.put(payload(), "codex"))
    file.unlink()
    with pytest.raises(FileNotFoundError):
        reader.read(file)
    reader.set_aside(file)
    reader.remove([file])
    assert list(reader.files("bad")) == []


def test_a_second_drain_knows_that_it_is_not_its_turn(home):
    with turn() as first:
        other = (
            "from dreamhook.record.drain import turn\nwith turn(wait=False) as ours: print(ours)"
        )
        assert first
        assert subprocess.check_output([sys.executable, "-c", other]) == b"False\n"
    assert subprocess.check_output([sys.executable, "-c", other]) == b"True\n"


# upkeep


def test_what_dead_writers_left_is_swept_and_what_is_being_written_stays(home):
    writer.put(payload(), "codex")
    old, new = (Path(writer.folders()[0], "tmp", name) for name in ("old", "new"))
    old.touch()
    new.touch()
    os.utime(old, (time.time() - quota.LEFTOVER_S - 60,) * 2)
    quota.sweep(time.time())
    assert (old.exists(), new.exists()) == (False, True)


def test_what_waited_too_long_is_kept_compressed_and_can_be_taken_back(home):
    for number in range(3):
        os.utime(
            writer.put(payload(number), "codex"), (time.time() - (29 + number) * DAY_S - 60,) * 2
        )
    before = {file.name: file.read_bytes() for file in reader.waiting()}
    assert quota.expire(time.time(), keep_s=30 * 86_400) == 2
    assert messages() == ["0"]
    kept = list(reader.files("expired"))
    assert all(
        before[file.name.removesuffix(".gz")] == gzip.decompress(file.read_bytes()) for file in kept
    )
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in kept)
    assert quota.take_back("expired") == 2
    assert {file.name: file.read_bytes() for file in reader.waiting()} == before
    assert quota.expire(time.time(), keep_s=30 * 86_400) == 0, "it has its time again"
    assert list(reader.files("expired")) == []


def test_a_damaged_file_among_the_expired_stays_there_and_holds_up_nobody(home):
    os.utime(writer.put(payload(), "codex"), (1, 1))
    quota.expire(time.time(), keep_s=30 * 86_400)
    damaged = Path(writer.folders()[0], "expired", "00000000000000000000-1-ffff.gz")
    damaged.write_bytes(b"no gzip")
    assert quota.take_back("expired") == 1
    assert damaged.exists()


def test_what_was_set_aside_as_bad_can_be_taken_back(home):
    reader.set_aside(Path(writer.put(payload(5), "codex")))
    assert quota.take_back("bad") == 1
    assert messages() == ["5"]


# the start of a worker


def test_a_mark_from_the_future_does_not_keep_the_worker_away(home, monkeypatch):
    started = []
    monkeypatch.setattr(os, "fork", lambda: started.append(1) or 1)
    monkeypatch.setattr(os, "waitpid", lambda *_: None)
    mark = home / "worker.starting"
    mark.touch()
    notify.start()
    assert started == []
    os.utime(mark, (time.time() + DAY_S,) * 2)
    notify.start()
    assert started == [1]


def test_a_full_disk_takes_no_key_and_is_left_no_piece_of_one(small_disk):
    with contextlib.suppress(OSError), open(small_disk / "ballast", "wb", buffering=0) as ballast:
        while True:
            ballast.write(b"x" * 4096)
    assert len(passing_key(str(small_disk))) == 32
    assert [file.name for file in small_disk.iterdir()] == ["ballast"]


def test_a_log_without_a_worker_to_rotate_it_stops_growing(home, monkeypatch):
    monkeypatch.setattr(log, "MAX_BYTES", 1000)
    for _ in range(100):
        log.line("log_event", "codex", OSError(28, "No space left on device"))
    assert (home / "log/dreamhook.log").stat().st_size < 1100
