// Sessions that were answered for are no longer put off.
// parameters: person, repository, sessions
UNWIND $sessions AS session
MATCH (:Session {client: session.client, session_id: session.session_id})
      -[d:DEFERRED]->(:Watermark {person: $person, repository: $repository})
DELETE d
