// memories of the permitted scopes that are not what a conversation was last told of
// parameters: scopes, scope_keys, owner, client, session_id, served, limit
MATCH (s:Session {client: $client, session_id: $session_id})
WITH s, coalesce(s.told_at, CASE WHEN $served THEN s.started_at END) AS told_at
WHERE told_at IS NOT NULL
MATCH (m:Memory)
WHERE m.scope_key IN $scope_keys AND m.scope IN $scopes AND m.status = 'current' AND coalesce(m.expires > toString(date()), true)
  AND m.updated_at > told_at
  AND (m.owner = $owner OR m.scope STARTS WITH 'workspace:')
  AND NOT EXISTS { (s)-[:INJECTED {version: m.version}]->(m) }
WITH m, (m.path STARTS WITH 'profile/' OR coalesce(m.pinned = true, false)) AS whole
ORDER BY whole DESC, m.scope, m.path
LIMIT $limit
RETURN m.scope AS scope, m.path AS path, m.title AS title, m.description AS description, m.version AS version,
       m.review_by AS review_by, m.evidence_notes AS evidence_notes, m.pinned AS pinned,
       CASE WHEN whole THEN m.content END AS content, m.updated_at AS dreamed
