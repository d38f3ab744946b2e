"""A dream that dies by SIGKILL, at every statement it sends to the store in turn, and the dream after it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.dream_world import FOUND, PROJECT, change, dreamt, make_world, prompt, watermark
from tests.messages_stub import answer

pytestmark = pytest.mark.neo4j
ROOT = Path(__file__).parents[2]
DIES = """
import os, signal, sys
from neo4j import ManagedTransaction

def run(self, *arguments, real=ManagedTransaction.run, left=[int(sys.argv.pop(1))], **more):
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    left[0] -= 1
    return real(self, *arguments, **more)

ManagedTransaction.run = run
from dream.dream import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def world(graph, configured_home, monkeypatch):
    with make_world(graph, configured_home, monkeypatch) as made:
        yield made


def dream(*before):
    return subprocess.run(
        [sys.executable, *before, "--now"],
        cwd=ROOT,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=60,
    )


def state(world):
    """What there is when all is well: one note in its first version, one dream that wrote it, nothing put off."""
    [counts] = world.ask(
        "RETURN COUNT { (:Memory) } AS notes, COUNT { (:MemoryVersion) } AS versions, COUNT { (:Event) } AS events, "
        "COUNT { (:Dream {status: 'done'})-[:WROTE]->(:Memory) } AS wrote, COUNT { ()-[:DEFERRED]->() } AS put_off, "
        "COUNT { (:Memory)-[:DERIVED_FROM]->(:Event) } AS evidence"
    )
    return dict(counts)


def test_a_dream_killed_at_any_statement_leaves_the_next_one_a_whole_job(world):
    ends = []
    for step in range(100):
        world.ask("MATCH (n) WHERE NOT n:SchemaVersion AND NOT n:Counter DETACH DELETE n")
        world.happened(prompt(FOUND))
        world.claude.play(answer(dreamt(change())))
        ends.append(dream("-c", DIES, str(step)).returncode)
        world.ask("MATCH (l:Lease) SET l.expires_at = 0")  # its time is up
        world.claude.play(answer(dreamt(change())))
        after = dream("-m", "dream.dream")
        assert after.returncode == 0, after.stderr
        assert state(world) == {
            "notes": 1,
            "versions": 0,
            "events": 1,
            "wrote": 1,
            "put_off": 0,
            "evidence": 1,
        }
        assert list(world.memories()) == [PROJECT]
        assert watermark(world) > 0
        if ends[-1] == 0:
            break
    assert ends[-1] == 0, "more statements than anybody thought"
    assert set(ends[:-1]) == {-9}
    assert len(ends) > 10, "it was killed between lease and commit, many times"
