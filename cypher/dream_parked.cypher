// Sessions of a person that are parked or wait to be tried again.
// parameters: person, states
MATCH (s:Session)-[d:DEFERRED]->(w:Watermark {person: $person})
WHERE coalesce(d.state, 'deferred') IN $states
OPTIONAL MATCH (r:Repository {id: w.repository})
RETURN s.client AS client, s.session_id AS session_id, w.repository AS repository, coalesce(r.name, w.repository) AS name,
       coalesce(d.state, 'deferred') AS state, d.why AS why, d.times AS times, coalesce(d.failures, 0) AS failures
ORDER BY name, session_id
