// Repositories in which a person has events past the watermark that say something.
// parameters: person, names
MATCH (r:Repository)
OPTIONAL MATCH (w:Watermark {person: $person, repository: r.id})
WITH r, coalesce(w.seq, 0) AS seen
CALL (r, seen) {
  MATCH (e:Event)
  WHERE e.person = $person AND e.repository = r.id AND e.seq > seen AND e.event_name IN $names
  MATCH (s:Session {client: e.client, session_id: e.session_id})
  WHERE NOT coalesce(s.synthetic, false)
  RETURN e.seq AS seq
  LIMIT 1
}
RETURN r.id AS id, r.name AS name, r.remote AS remote
ORDER BY name, id
