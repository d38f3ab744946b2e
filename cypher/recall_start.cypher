// what a session's start is made of: every current memory of the permitted scopes; the text only where it is shown whole
// parameters: scopes, scope_keys, owner, limit
MATCH (m:Memory)
WHERE m.scope_key IN $scope_keys AND m.scope IN $scopes AND m.status = 'current'
  AND (m.owner = $owner OR m.scope STARTS WITH 'workspace:')
WITH m, (m.path STARTS WITH 'profile/' OR coalesce(m.pinned, false)) AS whole
ORDER BY whole DESC, m.scope, m.path
LIMIT $limit
RETURN m.scope AS scope, m.path AS path, m.title AS title, m.description AS description, m.version AS version,
       m.review_by AS review_by, m.evidence_notes AS evidence_notes, m.cues AS cues, whole,
       CASE WHEN whole THEN m.content END AS content
