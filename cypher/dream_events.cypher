// A person's events in a repository past the watermark, in commit order; synthetic sessions' only to be passed.
// parameters: person, repository, limit, after
OPTIONAL MATCH (w:Watermark {person: $person, repository: $repository})
WITH CASE WHEN coalesce(w.seq, 0) < $after THEN $after ELSE coalesce(w.seq, 0) END AS seen
MATCH (e:Event)
WHERE e.person = $person AND e.repository = $repository AND e.seq > seen
// Sorted before their texts are read: events can be large.
WITH e ORDER BY e.seq LIMIT $limit
OPTIONAL MATCH (s:Session {client: e.client, session_id: e.session_id})
OPTIONAL MATCH (s)-[:LATEST_EVENT]->(l:Event)
RETURN e {.*} AS event, e.session_id AS session_id, s.cwd AS cwd, s.branch AS branch, s.open_at AS open_at,
       l.timestamp AS last, coalesce(s.synthetic, false) AS synthetic
ORDER BY e.seq
