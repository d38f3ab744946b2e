// what a session's start is made of: current memories of the permitted scopes, those shown whole first, then the latest
// parameters: scopes, scope_keys, owner, limit
MATCH (m:Memory)
WHERE m.scope_key IN $scope_keys AND m.status = 'current' AND coalesce(m.expires > toString(date()), true)
  AND (m.owner = $owner OR m.scope STARTS WITH 'workspace:')
WITH m, (m.path STARTS WITH 'profile/' OR coalesce(m.pinned = true, false)) AS whole
ORDER BY m.path STARTS WITH 'profile/' DESC, whole DESC, m.updated_at DESC, m.path
LIMIT $limit
WITH m, whole
WHERE m.scope IN $scopes
RETURN m.scope AS scope, m.path AS path, m.title AS title, m.description AS description, m.version AS version,
       m.review_by AS review_by, m.evidence_notes AS evidence_notes, m.pinned AS pinned,
       m.expires AS expires,
       CASE WHEN whole THEN m.content END AS content,
       COLLECT { MATCH (d:Dream)-[:WROTE {to_version: m.version}]->(m) RETURN d.started_at ORDER BY d.started_at DESC LIMIT 1 }[0] AS dreamed
