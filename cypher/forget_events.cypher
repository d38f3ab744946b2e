// take events out of their sessions' lists, which stay unbroken; a session that has none left goes too
// parameters: events, now
MATCH (c:Counter {name: 'event_seq'})
SET c.locked_at = $now // as in append_events: the counter's lock first, so that no two writers wait for each other
WITH c
UNWIND $events AS event_id
CALL (event_id) {
  MERGE (t:Tombstone {event_id: event_id})
  ON CREATE SET t.at = $now
  WITH event_id
  MATCH (e:Event {event_id: event_id})
  OPTIONAL MATCH (s:Session {client: e.client, session_id: e.session_id})
  OPTIONAL MATCH (before:Event)-[:NEXT]->(e)
  OPTIONAL MATCH (e)-[:NEXT]->(after:Event)
  FOREACH (a IN CASE WHEN before IS NULL OR after IS NULL THEN [] ELSE [before] END | CREATE (a)-[:NEXT]->(after))
  FOREACH (a IN CASE WHEN before IS NULL AND after IS NOT NULL AND s IS NOT NULL THEN [after] ELSE [] END |
    CREATE (s)-[:FIRST_EVENT]->(a))
  FOREACH (a IN CASE WHEN after IS NULL AND before IS NOT NULL AND s IS NOT NULL THEN [before] ELSE [] END |
    CREATE (s)-[:LATEST_EVENT]->(a))
  SET s.event_count = s.event_count - 1
  DETACH DELETE e
  WITH s WHERE s.event_count <= 0
  DETACH DELETE s
}
RETURN count(*) AS done
