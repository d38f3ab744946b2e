// Sessions that the watermark passes though nothing of them was offered: offered as soon as they may be.
// parameters: person, repository, sessions
UNWIND $sessions AS session
MATCH (s:Session {client: session.client, session_id: session.session_id})
MATCH (w:Watermark {person: $person, repository: $repository})
MERGE (s)-[d:DEFERRED]->(w)
  ON CREATE SET d.from_seq = session.from_seq, d.times = 0, d.failures = 0
SET d.to_seq = CASE WHEN coalesce(d.to_seq, 0) < session.to_seq THEN session.to_seq ELSE d.to_seq END,
    d.state = 'held', d.why = session.why
