// What a session's user had last asked for before a seq.
// parameters: sessions
UNWIND $sessions AS session
MATCH (s:Session {client: session.client, session_id: session.session_id})-[:FIRST_EVENT]->(first:Event)
WHERE first.seq < session.before
CALL (session, first) {
  MATCH (e:Event)
  WHERE e.person = first.person AND e.repository = first.repository
    AND e.seq >= first.seq AND e.seq < session.before
    AND e.client = session.client AND e.session_id = session.session_id
    AND e.event_name = 'UserPromptSubmit'
  RETURN e.prompt AS prompt
  ORDER BY e.seq DESC
  LIMIT 1
}
RETURN session.ref AS ref, prompt
