// A person's sessions that are still running and have something new.
// parameters: person, idle_from, idle_to
MATCH (s:Session)
WHERE s.open_at > $idle_from AND s.open_at <= $idle_to AND EXISTS { (s)-[:BY]->(:Person {id: $person}) }
  AND NOT coalesce(s.synthetic, false)
MATCH (s)-[:LATEST_EVENT]->(e:Event)
OPTIONAL MATCH (w:Watermark {person: $person, repository: e.repository})
OPTIONAL MATCH (s)-[d:DEFERRED]->(w)
WITH s, e, w, d
WHERE d IS NOT NULL OR e.seq > coalesce(w.seq, 0)
RETURN s.client AS client, s.session_id AS session_id, s.cwd AS cwd, e.repository AS repository, e.timestamp AS last
ORDER BY last
