// Events that an earlier dream put off, oldest first; a session that was put off too often is no longer offered.
// parameters: person, repository, times, limit
MATCH (w:Watermark {person: $person, repository: $repository})<-[d:DEFERRED]-(s:Session)
WHERE coalesce(d.state, 'deferred') <> 'parked' AND d.times < $times
MATCH (e:Event)
WHERE e.person = $person AND e.repository = $repository AND e.seq >= d.from_seq AND e.seq <= d.to_seq
  AND e.client = s.client AND e.session_id = s.session_id
// Sorted before their texts are read: events can be large.
WITH e, s, d ORDER BY e.seq LIMIT $limit
OPTIONAL MATCH (s)-[:LATEST_EVENT]->(l:Event)
RETURN e {.*} AS event, s.session_id AS session_id, s.cwd AS cwd, s.branch AS branch, s.open_at AS open_at,
       l.timestamp AS last, d.why AS why, coalesce(d.state, 'deferred') AS state
ORDER BY e.seq
