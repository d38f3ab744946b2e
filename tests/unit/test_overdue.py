"""The safety net under the dream's schedule starts one when it is due, and never takes the worker with it."""

import os
import time

import pytest

from dreamhook import config
from dreamhook.worker import dream_fallback


@pytest.fixture
def started(home, monkeypatch):
    """The commands that are started; none really is."""
    commands = []

    class Started:
        def __init__(self, command, **_options):
            commands.append(command)

        def poll(self):
            return 0

    monkeypatch.setattr(dream_fallback.subprocess, "Popen", Started)
    monkeypatch.setattr(dream_fallback, "_running", [])
    return commands


def tried(home, hours_ago):
    mark = home / "dream.tried"
    mark.touch()
    os.utime(mark, (time.time() - hours_ago * 3600,) * 2)


def test_a_dream_is_started_when_none_was_tried_for_too_long_and_then_not_again(home, started):
    settings = config.load()
    dream_fallback.start_dream_if_due(settings)
    assert started == []  # a new installation
    tried(home, settings.dream_hours + 1)
    dream_fallback.start_dream_if_due(settings)
    dream_fallback.start_dream_if_due(settings)
    assert len(started) == 1


def test_the_log_folder_may_be_gone(home, started):
    tried(home, 1_000)
    dream_fallback.start_dream_if_due(config.load())
    assert len(started) == 1
    assert (home / "log/dream.log").exists()


def test_a_dream_that_can_not_be_started_ends_nothing_else(home, started, monkeypatch):
    def refuse(*_arguments, **_options):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(dream_fallback.subprocess, "Popen", refuse)
    tried(home, 1_000)
    dream_fallback.start_dream_if_due(config.load())


def test_the_log_of_dreams_is_bounded(home, started):
    (home / "log").mkdir()
    (home / "log/dream.log").write_bytes(b"x" * (dream_fallback.LOG_BYTES + 1))
    tried(home, 1_000)
    dream_fallback.start_dream_if_due(config.load())
    assert (home / "log/dream.log").stat().st_size == 0
    assert (home / "log/dream.log.1").stat().st_size == dream_fallback.LOG_BYTES + 1
