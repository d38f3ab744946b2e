// Repositories in which a person has something to dream about.
// parameters: person, names, idle_from, idle_to
// New events that say something, of a session that is not running; or a session that was left while it ran and is
// idle now; or one that must be tried again alone.
MATCH (r:Repository)
OPTIONAL MATCH (w:Watermark {person: $person, repository: r.id})
WITH r, w, coalesce(w.seq, 0) AS seen
WHERE EXISTS {
  MATCH (e:Event)
  WHERE e.person = $person AND e.repository = r.id AND e.seq > seen AND e.event_name IN $names
  MATCH (s:Session {client: e.client, session_id: e.session_id})
  WHERE NOT coalesce(s.synthetic, false)
    AND NOT (coalesce(s.open_at, '') > $idle_from AND coalesce(s.open_at, '') <= $idle_to)
} OR EXISTS {
  MATCH (w)<-[d:DEFERRED]-(s:Session)
  WHERE d.state = 'alone'
     OR (d.state = 'held' AND NOT (coalesce(s.open_at, '') > $idle_from AND coalesce(s.open_at, '') <= $idle_to))
}
RETURN r.id AS id, r.name AS name, r.remote AS remote
ORDER BY name, id
