"""Cuts the power under running hooks: an ext4 of its own is shut down without writing its journal, mounted and read."""

import fcntl
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from rich.console import Console
from rich.progress import track

from bench.crash import Outcome, hook

SHUTDOWN, NO_LOG_FLUSH = 0x8004587D, 2
"""EXT4_IOC_SHUTDOWN, EXT4_GOING_FLAGS_NOLOGFLUSH (linux/fs/ext4/ext4.h); what xfstests' godown does."""


def cut_power(times: int) -> Outcome | None:
    """Shut down so many file systems under running hooks; None where that cannot be done."""
    outcome = Outcome(0, [])
    for cut in track(
        range(times), "cutting the power", console=Console(stderr=True), transient=True
    ):
        with tempfile.TemporaryDirectory(prefix="dh-power-") as folder:
            if not cut_once(Path(folder), cut * 10_000, outcome):
                return None
    return outcome


def cut_once(folder: Path, first: int, outcome: Outcome) -> bool:
    from dreamhook.spool import reader, writer

    disk, place = folder / "disk", folder / "mounted"
    place.mkdir()
    with disk.open("wb") as image:
        image.truncate(64 << 20)
    if run("mkfs.ext4", "-q", str(disk)) or run("mount", "-o", "loop", str(disk), str(place)):
        return False
    os.environ["DREAMHOOK_HOME"] = str(place / "d")
    Path(place, "d").mkdir(mode=0o700)
    Path(place, "d/worker.starting").touch()  # no worker: what is tested is what lies on the disk
    os.sync()
    over, acknowledged = threading.Event(), []

    def record(number: int) -> None:
        while not over.is_set():
            with hook("power", number) as process:
                if process.wait() == 0 and not over.is_set():
                    acknowledged.append(number)
            number += 4

    writers = [threading.Thread(target=record, args=(first + one,)) for one in range(4)]
    for one in writers:
        one.start()
    time.sleep(random.uniform(0.5, 1.5))
    over.set()  # what exits from here on may have gone to the fallback folder
    root = os.open(place, os.O_RDONLY)
    refused = False
    try:
        fcntl.ioctl(root, SHUTDOWN, NO_LOG_FLUSH.to_bytes(4, sys.byteorder))
    except OSError:
        refused = True
    os.close(root)
    for one in writers:
        one.join()
    if run("umount", str(place)) or run("mount", "-o", "loop", str(disk), str(place)):
        return False
    for file in reader.waiting():
        if str(file).startswith(str(place)):
            outcome.stored.append(int(reader.read(file).payload["message"]))
    for fallback in writer.folders()[1:]:
        shutil.rmtree(fallback, ignore_errors=True)  # where hooks wrote when their disk was gone
    run("umount", str(place))
    outcome.stored.sort()  # four writers at once have no order
    outcome.acknowledged += acknowledged
    outcome.crashes += 1
    return not refused


def run(*command: str) -> int:
    return subprocess.run(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
    ).returncode
