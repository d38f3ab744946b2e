// a session's events, walked along NEXT from the first
// parameters: client, session
MATCH (:Session {client: $client, session_id: $session})-[:FIRST_EVENT]->(first:Event)
MATCH path = (first)-[:NEXT*0..50]->(e:Event)
RETURN e.event_name AS name, e.seq AS seq,
       coalesce(e.prompt, e.tool_input, e.assistant_text, e.source, e.status, '') AS text
ORDER BY length(path)
