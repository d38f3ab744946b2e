// Sessions to offer again with the next new events; one that was put off too often is parked.
// parameters: person, repository, sessions, times
UNWIND $sessions AS session
MATCH (s:Session {client: session.client, session_id: session.session_id})
MATCH (w:Watermark {person: $person, repository: $repository})
MERGE (s)-[d:DEFERRED]->(w)
  ON CREATE SET d.from_seq = session.from_seq, d.times = 0
SET d.to_seq = CASE WHEN coalesce(d.to_seq, 0) < session.to_seq THEN session.to_seq ELSE d.to_seq END,
    d.times = coalesce(d.times, 0) + 1, d.why = session.why
SET d.state = CASE WHEN d.times >= $times THEN 'parked' ELSE 'deferred' END
