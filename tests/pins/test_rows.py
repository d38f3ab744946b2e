"""Every recorded payload's stored row, compared with what the commit before the house (bf519e9) stored.

Each payload goes through the spool and `dreamhook drain` as a session of its own, at a fixed moment, under a fixed
scrubbing key; what is compared is the event node and the session node as a plain driver reads them.
A wanted change is accepted by writing the file again from the programs under test, and reading the diff:
`DREAMHOOK_TEST_PIN_FROM=. tests/run.sh tests/pins` (another checkout's path pins that checkout's behaviour instead).
"""

import hashlib
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.pins.golden import compare, product
from tests.pins.product import name_person

pytestmark = pytest.mark.neo4j
PAYLOADS = Path(__file__).parents[1] / "payloads"
FIRST_NS = 4_000_000_000_000_000_000
"""In 2096: no event is ever so old that the spool's quota or the closing of silent sessions touches it."""
APART_NS = 10_000_000_000
OWN_SESSION = re.compile(rb'("(?:session_id|conversation_id)"\s*:\s*"[^"]*)"')
LONG = 160
"""Characters of a text that stand in the golden file in full."""
STORED = """
MATCH (s:Session)-[:FIRST_EVENT]->(first) MATCH path = (first)-[:NEXT*0..]->(e)
OPTIONAL MATCH (s)-[:SUBAGENT_OF]->(parent) OPTIONAL MATCH (s)-[:IN_REPOSITORY]->(r)
OPTIONAL MATCH (s)-[:BY]->(p)
RETURN properties(s) AS session, properties(e) AS event, labels(e) AS labels, e.timestamp AS at,
       parent.session_id AS parent, r.id AS repository, p.id AS person
ORDER BY at, length(path)
"""


def test_every_payload_becomes_the_row_it_was(graph, configured_home):
    name_person(configured_home, "ada")
    key = configured_home / "scrub.key"
    key.touch(mode=0o600)
    key.write_bytes(bytes(range(32)))
    names = {}
    for number, file in enumerate(sorted(PAYLOADS.glob("*/**/*.json"))):
        at = FIRST_NS + number * APART_NS
        names[at // 1_000_000_000] = str(file.relative_to(PAYLOADS))
        spool(configured_home, file, number, at)
    try:
        product().run("drain", "--timeout", "100")
    finally:
        product().run("worker", "stop")
    compare("rows.json", rows(graph, names))


def spool(home: Path, file: Path, number: int, at: int) -> None:
    """Lay one payload into the queue, in the format of spool files, under a session id of its own."""
    payload = OWN_SESSION.sub(rb'\1-%d"' % number, file.read_bytes())
    client = file.relative_to(PAYLOADS).parts[0]
    folder = home / "spool/new"
    for one in (folder, home / "spool/tmp", home / "spool/bad"):
        one.mkdir(parents=True, exist_ok=True, mode=0o700)
    head = f"dreamhook/1 {client} {at} {len(payload)}\n".encode()
    (folder / f"{at:020d}-1-0000").write_bytes(head + payload)


def rows(graph, names: dict[int, str]) -> dict[str, Any]:
    """{payload: its event, and what its session says differently}, without what a counter or clock gave."""
    found: dict[str, Any] = {}
    records, _, _ = graph.execute_query(STORED)
    for record in records:
        row = record.data()
        name = names[int(datetime.fromisoformat(row.pop("at")).timestamp())]
        event, session = row.pop("event"), row.pop("session")
        assert sorted(row.pop("labels")) == sorted({"Event", event["event_name"]})
        del event["seq"], session["locked_at"]
        row = {key: value for key, value in row.items() if event.get(key) != value}
        more = {key: value for key, value in session.items() if event.get(key) != value}
        row |= {"event": event, "session": more}
        assert name not in found, f"{name} became two events"
        found[name] = shortened(row)
    found["not stored"] = sorted(set(names.values()) - set(found))
    return found


def shortened(value: Any) -> Any:
    """Long texts by their beginning, their length and their hash."""
    if isinstance(value, dict):
        return {key: shortened(value[key]) for key in sorted(value)}
    if isinstance(value, str) and len(value) > LONG:
        digest = hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return f"{value[:60]}… {len(value)} characters, sha256 {digest}"
    return value
