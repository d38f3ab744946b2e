// Sessions that were answered for are no longer put off, but for the part that did not fit.
// parameters: person, repository, sessions
UNWIND $sessions AS session
MATCH (:Session {client: session.client, session_id: session.session_id})
      -[d:DEFERRED]->(:Watermark {person: $person, repository: $repository})
SET d.from_seq = CASE WHEN session.rest_from > 0 THEN session.rest_from ELSE d.from_seq END,
    d.state = CASE WHEN session.rest_from > 0 AND d.state = 'deferred' THEN 'alone' ELSE d.state END,
    d.failures = 0
FOREACH (_ IN CASE WHEN session.rest_from > 0 THEN [] ELSE [1] END | DELETE d)
