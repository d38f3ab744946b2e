"""The product as its user meets it: the command line, and the graph as a plain driver reads it."""

import json
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import neo4j
import tomlkit

from tests.lab.harnesses import Lab, end_leftovers

PROGRAM = Path(sys.executable).with_name("dreamhook")

SESSIONS = """
MATCH (s:Session {client: $client, cwd: $cwd})
OPTIONAL MATCH (s)-[:LATEST_EVENT]->(latest)
RETURN s.session_id AS session_id, s.event_count AS event_count, latest.event_id AS latest ORDER BY s.started_at
"""
WALK = """
MATCH (s:Session {client: $client, session_id: $session_id})-[:FIRST_EVENT]->(first)
MATCH path = (first)-[:NEXT*0..]->(e:Event)
RETURN e {.*, labels: labels(e)} AS event, length(path) AS place ORDER BY place
"""


def make_dreamhook_home(configured: Path, folder: Path, **store: str) -> Path:
    """A copy of the tests' configuration for a person of its own, who sees no other test's memories."""
    folder.mkdir(0o700)
    _write_config(configured / "config.toml", folder / "config.toml", store)
    return folder


def become_somebody_else(lab: Lab) -> None:
    """The same machine and store, another person: the config names one that nothing is known of."""
    config = lab.dreamhook_home / "config.toml"
    _write_config(config, config, {})
    dreamhook(lab, "worker", "stop")
    dreamhook(lab, "worker", "start")


def _write_config(source: Path, target: Path, store: dict[str, str]) -> None:
    config = tomlkit.parse(source.read_text(encoding="utf-8"))
    config["neo4j"].update(store)
    config.setdefault("identity", tomlkit.table())["person"] = f"person-{uuid.uuid4().hex[:8]}"
    target.write_text(tomlkit.dumps(config), encoding="utf-8")


def dreamhook(lab: Lab, *arguments: str, **environment: str) -> str:
    """Run the command line in the lab's environment; returns stdout. Fails the test when it fails."""
    done = subprocess.run(
        [PROGRAM, *arguments],
        env={**lab.env, "DREAMHOOK_HOME": str(lab.dreamhook_home), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, f"dreamhook {' '.join(arguments)}: {done.stdout}{done.stderr}"
    return done.stdout


def leave(lab: Lab) -> None:
    """End the worker the way a user does, and whatever is left the hard way."""
    try:
        dreamhook(lab, "worker", "stop")
    finally:
        end_leftovers(lab)


def status(lab: Lab) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(dreamhook(lab, "status", "--json"))
    return found


def query(lab: Lab, statement: str, **parameters: Any) -> list[dict[str, Any]]:
    """Rows of one statement, read from the store that `status` names."""
    store = status(lab)["neo4j"]
    password = Path(store["password_file"]).read_text(encoding="utf-8").strip()
    with neo4j.GraphDatabase.driver(store["uri"], auth=(store["user"], password)) as driver:
        records, _, _ = driver.execute_query(statement, parameters)
    return [record.data() for record in records]


def recorded(lab: Lab, client: str, project: Path) -> list[list[dict[str, Any]]]:
    """The events of every session of this client in this folder, in the order of its list.

    Fails when a list is broken, forked, or differs from what the session says of itself.
    """
    lists = []
    for session in query(lab, SESSIONS, client=client, cwd=str(project)):
        rows = query(lab, WALK, client=client, session_id=session["session_id"])
        assert [row["place"] for row in rows] == list(range(session["event_count"])), (
            "the list forks or breaks off"
        )
        events = [row["event"] for row in rows]
        assert events[-1]["event_id"] == session["latest"]
        assert [e["timestamp"] for e in events] == sorted(e["timestamp"] for e in events), (
            "not in capture order"
        )
        lists.append(events)
    return lists
