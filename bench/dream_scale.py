"""What a large backlog costs a dream: calls, tokens, request sizes, memory; printed, nothing is asserted.

20,000 events in 300 sessions over 12 repositories, 10,000 notes, and a model that settles every session at once
(tests/messages_stub.py). Each run of the dream is a process of its own, whose peak memory the system tells.
"""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from dreamhook.memory.note_file import scope_key
from dreamhook.store import server
from dreamhook.store.connect import open_store
from dreamhook.store.query import Store
from dreamhook.store.schema import migrate
from tests.messages_stub import MessagesStub, Reply, answer, said

ROOT = Path(__file__).resolve().parents[1]
PERSON = "bench-scale"


def run() -> None:
    sizes: list[tuple[int, int]] = []

    def settled(body: dict[str, Any]) -> Reply:
        claude.requests.clear()
        text = said(body)
        refs = re.findall(r"^## (?:subagent )?session (S\d+)", text, re.MULTILINE)
        sizes.append((len(text), len(refs)))
        rows = [{"session": ref, "outcome": "nothing_durable", "why": "bench"} for ref in refs]
        return answer({"reasoning": "", "sessions": rows, "changes": []})

    endpoint = server.ensure_running()
    config = f'[identity]\nperson = "{PERSON}"\n[dream]\ntokens_per_day = 100000000\n'
    Path(os.environ["DREAMHOOK_HOME"], "config.toml").write_text(config, encoding="utf-8")
    with open_store(endpoint, timeout=30) as graph:
        _load(graph)
    with MessagesStub(settled) as claude:
        print("run  calls  sessions  largest request  all requests  peak MiB  seconds")
        while True:
            sizes.clear()
            begun = time.monotonic()
            command = [sys.executable, "-m", "dream.dream", "--now", "--json"]
            environment = os.environ | claude.environment
            process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE)
            assert process.stdout
            told = json.loads(process.stdout.read())
            _, _, used = os.wait4(process.pid, 0)
            largest, everything = (
                max((size for size, _ in sizes), default=0),
                sum(size for size, _ in sizes),
            )
            print(
                f"{told['usage']['calls']:10} {sum(refs for _, refs in sizes):9} {largest:16,} {everything:13,} "
                f"{used.ru_maxrss / 1024:9.0f} {time.monotonic() - begun:8.1f}"
            )
            if not told["usage"]["calls"]:
                return


def _load(graph: Store) -> None:
    migrate(graph)
    for label, key in (
        ("Memory", "owner"),
        ("Event", "person"),
        ("Watermark", "person"),
        ("Dream", "person"),
    ):
        query = (
            f"MATCH (n:{label} {{{key}: $person}}) CALL (n) {{ DETACH DELETE n }} IN TRANSACTIONS"
        )
        with graph.session() as session:
            session.run(query, person=PERSON).consume()
    repositories = [{"id": f"scale-{n}", "key": scope_key(f"repo:scale-{n}")} for n in range(12)]
    graph.driver.execute_query(PLACES, repositories=repositories)
    graph.driver.execute_query(EVENTS)
    graph.driver.execute_query(NOTES, repositories=repositories)


PLACES = """
UNWIND $repositories AS one MERGE (r:Repository {id: one.id}) SET r.name = one.id
MERGE (:Person {id: 'bench-scale'})
"""
EVENTS = """
MATCH (c:Counter {name: 'event_seq'}) SET c.value = c.value + 20000
WITH c.value - 20000 AS base
UNWIND range(0, 299) AS n
MERGE (s:Session {client: 'claude_code', session_id: 'scale-' + n}) SET s.ended_at = '2026-11-01', s.cwd = '/scale'
WITH base, n, s
UNWIND range(0, CASE WHEN n < 200 THEN 66 ELSE 65 END) AS i
CREATE (e:Event {event_id: 'scale-' + n + '-' + i, seq: base + n * 67 + i, client: 'claude_code',
  session_id: 'scale-' + n, person: 'bench-scale', repository: 'scale-' + (n % 12),
  timestamp: '2026-11-01T10:00:00.000000+00:00',
  event_name: CASE i % 6 WHEN 0 THEN 'UserPromptSubmit' WHEN 5 THEN 'Stop' ELSE 'PostToolUse' END,
  prompt: CASE WHEN i % 6 = 0 THEN 'please look at part ' + i + ' of the importer and make it faster' END,
  assistant_text: CASE WHEN i % 6 = 5 THEN 'part ' + i + ' spent its time in the parser, now it does not' END,
  tool_name: CASE WHEN i % 6 IN [1, 2, 3, 4] THEN 'Bash' END,
  tool_input: CASE WHEN i % 6 IN [1, 2, 3, 4] THEN 'make part-' + i END,
  tool_response: CASE WHEN i % 6 IN [1, 2, 3, 4] THEN
    reduce(t = '', x IN range(1, 60) | t + 'line ' + x + ' of it; ') END})
WITH n, s, collect(e) AS made
FOREACH (last IN made[-1..] | MERGE (s)-[:LATEST_EVENT]->(last))
FOREACH (first IN made[..1] | MERGE (s)-[:FIRST_EVENT]->(first))
"""
NOTES = """
UNWIND range(1, 10000) AS i
WITH i, $repositories[i % 12] AS one
CREATE (m:Memory {scope: 'repo:' + one.id, scope_key: one.key, path: 'project/note-' + i + '.md', version: 1,
  owner: 'bench-scale', status: 'current', pinned: false, title: 'note ' + i, description: 'about part ' + i,
  cues: ['part ' + i], updated_at: '2026-10-01', content: '---\\ntitle: note\\n---\\n\\nthe importer, part ' + i})
"""
