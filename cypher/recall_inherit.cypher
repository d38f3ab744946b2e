// a forked conversation holds what its parent was given; twice the same is the same
// parameters: client, session_id, parent, at
MATCH (p:Session {client: $client, session_id: $parent}) WHERE p.told_at IS NOT NULL
MERGE (s:Session {client: $client, session_id: $session_id})
SET s.told_at = coalesce(s.told_at, p.told_at), s.forgot_at = coalesce(s.forgot_at, p.forgot_at),
    s.forked_from = [$parent] + coalesce(p.forked_from, []), s.forked_at = coalesce(s.forked_at, $at)
WITH s, p
MATCH (p)-[given:INJECTED]->(m:Memory) WHERE given.at >= coalesce(p.forgot_at, '')
MERGE (s)-[own:INJECTED {at: given.at, version: given.version}]->(m)
ON CREATE SET own.turn_id = given.turn_id
