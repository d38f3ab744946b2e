// sessions whose list is broken; linear: it counts every event's links and walks no chain
// parameters: limit
// With one head, one end, no event of two links and every link to a later event of the same session, it is one line.
MATCH (e:Event)
WITH e, COUNT { (e)-[:NEXT]->() } AS after, COUNT { (e)<-[:NEXT]-() } AS before,
  EXISTS { (e)-[:NEXT]->(b) WHERE b.seq <= e.seq OR b.session_id <> e.session_id OR b.client <> e.client } AS astray
WITH e.client AS client, e.session_id AS session_id, count(e) AS events, sum(toInteger(before = 0)) AS heads,
  sum(toInteger(after = 0)) AS ends, sum(toInteger(before > 1 OR after > 1)) AS forks, sum(toInteger(astray)) AS astray
OPTIONAL MATCH (s:Session {client: client, session_id: session_id})
WITH client, session_id, events, heads, ends, forks, astray, coalesce(s.event_count, 0) AS event_count,
  COUNT { (s)-[:FIRST_EVENT]->() } = 1 AND COUNT { (s)-[:LATEST_EVENT]->() } = 1
  AND EXISTS { (s)-[:FIRST_EVENT]->(f) WHERE f.session_id = session_id AND NOT EXISTS { (f)<-[:NEXT]-() } }
  AND EXISTS { (s)-[:LATEST_EVENT]->(l) WHERE l.session_id = session_id AND NOT EXISTS { (l)-[:NEXT]->() } } AS held
WHERE heads <> 1 OR ends <> 1 OR forks > 0 OR astray > 0 OR event_count <> events OR NOT held
RETURN client, session_id, heads, ends, forks, events, event_count
LIMIT $limit
UNION
MATCH (s:Session) WHERE s.event_count > 0 AND NOT EXISTS { (s)-[:FIRST_EVENT|LATEST_EVENT]->() }
RETURN s.client AS client, s.session_id AS session_id, 0 AS heads, 0 AS ends, 0 AS forks, 0 AS events,
  s.event_count AS event_count
LIMIT $limit
