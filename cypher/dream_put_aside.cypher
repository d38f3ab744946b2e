// Sessions that could not be answered together are tried alone; one that failed alone too often is parked.
// parameters: person, repository, sessions, times, counts
UNWIND $sessions AS session
MATCH (s:Session {client: session.client, session_id: session.session_id})
MATCH (w:Watermark {person: $person, repository: $repository})
MERGE (s)-[d:DEFERRED]->(w)
  ON CREATE SET d.from_seq = session.from_seq, d.times = 0
SET d.to_seq = CASE WHEN coalesce(d.to_seq, 0) < session.to_seq THEN session.to_seq ELSE d.to_seq END,
    d.failures = coalesce(d.failures, 0) + CASE WHEN $counts THEN 1 ELSE 0 END, d.why = session.why
SET d.state = CASE WHEN d.failures >= $times THEN 'parked' ELSE 'alone' END
