// A person's events in a repository past the watermark, in commit order; synthetic sessions' only to be passed.
// parameters: person, repository, limit
OPTIONAL MATCH (w:Watermark {person: $person, repository: $repository})
WITH coalesce(w.seq, 0) AS seen
MATCH (e:Event)
WHERE e.person = $person AND e.repository = $repository AND e.seq > seen
// Sorted before their texts are read: events can be large.
WITH e ORDER BY e.seq LIMIT $limit
OPTIONAL MATCH (s:Session {client: e.client, session_id: e.session_id})
RETURN e {.*} AS event, s.cwd AS cwd, s.branch AS branch, coalesce(s.synthetic, false) AS synthetic
ORDER BY e.seq
