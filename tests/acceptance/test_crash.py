"""Hooks and workers killed at random moments: nothing that a hook acknowledged is lost, doubled or out of order.

A modest number of times; `bench/crash.py` does it hundreds of times, and cuts the power too.
"""

import pytest

from bench.crash import Outcome, kill_workers, kill_writers
from dreamhook.worker import control

pytestmark = pytest.mark.neo4j


@pytest.fixture
def worker_home(configured_home):
    """A configured home whose worker is gone when the test is over."""
    yield configured_home
    assert control.stop()


def test_killed_hooks_lose_and_double_nothing_they_acknowledged(graph, worker_home):
    outcome = kill_writers(graph, "s1", 20)
    assert outcome.crashes == 20
    assert outcome.acknowledged
    assert (outcome.lost(), outcome.doubled(), outcome.in_order(), outcome.broken) == (
        0,
        0,
        True,
        0,
    )


def test_killed_workers_lose_and_double_nothing(graph, worker_home):
    outcome = kill_workers(graph, "s1", 10)
    assert outcome.crashes >= 9
    assert len(outcome.acknowledged) > 10
    assert (outcome.lost(), outcome.doubled(), outcome.in_order(), outcome.broken) == (
        0,
        0,
        True,
        0,
    )


def test_what_is_lost_doubled_or_out_of_order_would_be_seen():
    outcome = Outcome(1, acknowledged=[1, 2, 3], stored=[3, 1, 1])
    assert (outcome.lost(), outcome.doubled(), outcome.in_order()) == (1, 1, False)
