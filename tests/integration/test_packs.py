"""The start block that waits on disk says what the store says, for every harness, without a worker."""

import json

import pytest

from dreamhook import config, harness, repository
from dreamhook.hook import pack
from dreamhook.memory import scope_key
from dreamhook.recall import packs

pytestmark = pytest.mark.neo4j


def remember(graph, folder, text):
    scope = f"repo:{repository.find(folder).id}"
    graph.execute_query(
        "MERGE (m:Memory {scope: $scope, path: 'project/a.md'}) SET m += $properties",
        scope=scope,
        properties={
            "scope_key": scope_key(scope),
            "status": "current",
            "owner": config.load().person,
            "title": text,
            "description": text,
            "content": f"---\ntitle: a\n---\n{text}\n",
            "version": 1,
        },
    )


def test_packs_of_all_harnesses_follow_a_note_that_changed(graph, configured_home, tmp_path):
    folder = str(tmp_path)
    packs.write_packs(folder, "")
    remember(graph, folder, "first wording")
    packs.refresh(graph, config.load(), None)
    assert all(b"first wording" in pack.read(client, folder) for client in harness.clients())
    remember(graph, folder, "second wording")
    packs.refresh(graph, config.load(), None)
    for client in harness.clients():
        reply = pack.read(client, folder)
        assert b"second wording" in reply
        assert b"first wording" not in reply
        assert isinstance(json.loads(reply), dict)


def test_a_pack_never_holds_another_folders_notes(graph, configured_home, tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        packs.write_packs(str(folder), "")
    remember(graph, str(there), "only there")
    packs.refresh(graph, config.load(), None)
    assert b"only there" in pack.read("codex", str(there))
    assert b"only there" not in pack.read("codex", str(here))
