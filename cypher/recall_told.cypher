// what a conversation was given, version by version; a compaction first forgets what was given before
// parameters: client, session_id, at, turn_id, forget, told, memories
MERGE (s:Session {client: $client, session_id: $session_id})
SET s.told_at = CASE $told WHEN 'state' THEN $at WHEN 'notes' THEN coalesce(s.told_at, $at) ELSE s.told_at END,
    s.forgot_at = CASE WHEN $forget THEN $at ELSE s.forgot_at END
WITH s
UNWIND $memories AS given
MATCH (m:Memory {scope: given.scope, path: given.path})
CREATE (s)-[:INJECTED {at: $at, turn_id: $turn_id, version: given.version}]->(m)
