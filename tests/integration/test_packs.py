"""The start block that waits on disk says what the store says, for every harness, without a worker."""

import json
import os
from datetime import UTC, datetime, timedelta

import pytest

from dreamhook import config, harness
from dreamhook.hook import cached_start
from dreamhook.memory.note_file import scope_key
from dreamhook.recall import blocks, search, start_cache
from dreamhook.recall.notes import from_record
from dreamhook.recall.render import worded
from dreamhook.recall.scopes import permitted
from dreamhook.repository import identity

pytestmark = pytest.mark.neo4j
WORDING = worded(b"k" * 32)


def remember(graph, folder, text):
    scope = f"repo:{identity.find(folder).id}"
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


def keep(folder, memories):
    start_cache.keep(str(folder), memories, blocks.start_block(memories, WORDING)[0])


def test_packs_of_all_harnesses_follow_a_note_that_changed(graph, configured_home, tmp_path):
    folder = str(tmp_path)
    start_cache.keep(folder, [], "")
    remember(graph, folder, "first wording")
    start_cache.refresh(graph, config.load())
    assert all(
        b"first wording" in cached_start.read(client, folder) for client in harness.clients()
    )
    remember(graph, folder, "second wording")
    start_cache.refresh(graph, config.load())
    for client in harness.clients():
        reply = cached_start.read(client, folder)
        assert b"second wording" in reply
        assert b"first wording" not in reply
        assert isinstance(json.loads(reply), dict)


def test_a_pack_never_holds_another_folders_notes(graph, configured_home, tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        start_cache.keep(str(folder), [], "")
    remember(graph, str(there), "only there")
    start_cache.refresh(graph, config.load())
    assert b"only there" in cached_start.read("codex", str(there))
    assert b"only there" not in cached_start.read("codex", str(here))


def test_packs_of_folders_that_are_gone_or_long_unused_are_dropped(
    graph, configured_home, tmp_path, monkeypatch
):
    monkeypatch.setattr(start_cache, "FOLDERS", 2)
    folders = [tmp_path / name for name in ("gone", "old", "late", "last")]
    for age, folder in enumerate(folders):
        folder.mkdir()
        remember(graph, str(folder), "text of a note")
        keep(folder, search.at_start(graph, permitted(config.load(), str(folder)), 9))
        for client in harness.clients():
            os.utime(cached_start.file(client, str(folder)), (age, age))
    folders[3].rmdir()
    start_cache.refresh(graph, config.load())
    kept = {
        name
        for name in ("gone", "old", "late", "last")
        if cached_start.read("codex", str(tmp_path / name))
    }
    assert kept == {"late"}
    assert len(list((configured_home / "packs").iterdir())) == len(harness.clients())


def test_a_pack_holds_until_the_first_of_its_notes_expires(graph, configured_home, tmp_path):
    folder, today = str(tmp_path), datetime.now(UTC).date()
    for expires, holds in ((today + timedelta(days=2), True), (today, False)):
        keep(folder, [from_record({"path": "project/a.md", "expires": expires.isoformat()})])
        assert bool(cached_start.read("codex", folder)) is holds
