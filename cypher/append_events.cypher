// append events, in order, to the end of one session's list; an event that is there already is skipped
// parameters: session, events, ends, now
MATCH (c:Counter {name: 'event_seq'})
SET c.locked_at = $now // the counter's write lock first: appends get their seq in the order they commit
MERGE (s:Session {client: $session.client, session_id: $session.session_id})
SET s.locked_at = $now,
    s.started_at = coalesce(s.started_at, $events[0].timestamp),
    s.event_count = coalesce(s.event_count, 0),
    s.cwd = coalesce(s.cwd, $session.cwd),
    s.branch = coalesce($session.branch, s.branch),
    s.synthetic = $session.synthetic
MERGE (r:Repository {id: $session.repository})
ON CREATE SET r.name = $session.repository_name, r.remote = $session.remote
MERGE (p:Person {id: $session.person})
MERGE (s)-[:BY]->(p)
FOREACH (_ IN CASE WHEN EXISTS { (s)-[:IN_REPOSITORY]->() } THEN [] ELSE [1] END | CREATE (s)-[:IN_REPOSITORY]->(r))
FOREACH (parent IN CASE WHEN $session.parent IS NULL THEN [] ELSE [$session.parent] END |
  MERGE (main:Session {client: $session.client, session_id: parent})
  MERGE (s)-[:SUBAGENT_OF]->(main)
)
WITH c, s
UNWIND $events AS row
WITH c, s, row
WHERE NOT EXISTS { (known:Event) WHERE known.event_id IN row.same }
  AND NOT EXISTS { (gone:Tombstone) WHERE gone.event_id IN row.same } // forgotten: it must not come back
WITH c, s, collect(row) AS fresh
WHERE size(fresh) > 0
OPTIONAL MATCH (s)-[latest:LATEST_EVENT]->(tail:Event)
WITH c, s, latest, tail, fresh, c.value AS base
UNWIND range(0, size(fresh) - 1) AS i
CREATE (e:Event)
SET e = fresh[i].properties, e.seq = base + i + 1
SET e:$(fresh[i].event_name)
WITH c, s, latest, tail, base, e ORDER BY e.seq
WITH c, s, latest, tail, base, collect(e) AS made
SET c.value = base + size(made),
    s.event_count = s.event_count + size(made),
    s.ended_at = CASE WHEN made[-1].event_name IN $ends THEN made[-1].timestamp END,
    s.end_reason = CASE WHEN made[-1].event_name IN $ends THEN coalesce(made[-1].reason, made[-1].status) END,
    s.open_at = CASE WHEN NOT made[-1].event_name IN $ends THEN made[-1].timestamp END
FOREACH (i IN range(0, size(made) - 2) |
  FOREACH (a IN [made[i]] | FOREACH (b IN [made[i + 1]] | CREATE (a)-[:NEXT]->(b)))
)
FOREACH (first IN [made[0]] |
  FOREACH (before IN CASE WHEN tail IS NULL THEN [] ELSE [tail] END | CREATE (before)-[:NEXT]->(first))
  FOREACH (_ IN CASE WHEN tail IS NULL THEN [1] ELSE [] END | CREATE (s)-[:FIRST_EVENT]->(first))
)
FOREACH (last IN [made[-1]] | CREATE (s)-[:LATEST_EVENT]->(last))
DELETE latest
RETURN size(made) AS appended
