// sessions whose list is broken: not exactly one head, one end, or a chain as long as the count
// parameters: limit
MATCH (s:Session) WHERE s.event_count > 0
OPTIONAL MATCH (s)-[:FIRST_EVENT]->(head:Event)
WITH s, collect(head) AS heads
OPTIONAL MATCH (s)-[:LATEST_EVENT]->(end:Event)
WITH s, heads, collect(end) AS ends
CALL (s, heads) {
  WITH heads[0] AS head
  OPTIONAL MATCH (head)-[:NEXT*0..]->(e:Event)
  RETURN count(e) AS walked, count(DISTINCT e) AS chain
}
WITH s, size(heads) AS heads, size(ends) AS ends, walked, chain
WHERE heads <> 1 OR ends <> 1 OR walked <> s.event_count OR chain <> walked
RETURN s.client AS client, s.session_id AS session_id, heads, ends, chain, s.event_count AS event_count
LIMIT $limit
