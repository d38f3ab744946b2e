// have a session hold both ends of its list, and know how long it is
// parameters: client, session_id, now
MATCH (c:Counter {name: 'event_seq'})
SET c.locked_at = $now
MERGE (s:Session {client: $client, session_id: $session_id})
WITH s
OPTIONAL MATCH (s)-[pointer:FIRST_EVENT|LATEST_EVENT]->()
DELETE pointer
WITH DISTINCT s
OPTIONAL MATCH (e:Event) WHERE e.client = $client AND e.session_id = $session_id
WITH s, count(e) AS events, min(e.seq) AS first, max(e.seq) AS last
SET s.event_count = events
WITH s, first, last WHERE first IS NOT NULL
MATCH (head:Event {seq: first}) WHERE head.session_id = $session_id
MATCH (end:Event {seq: last}) WHERE end.session_id = $session_id
CREATE (s)-[:FIRST_EVENT]->(head), (s)-[:LATEST_EVENT]->(end)
