// a sample of the permitted notes, with the beginning of their text
// parameters: scopes, scope_keys, owner, sample
MATCH (m:Memory)
WHERE m.scope_key IN $scope_keys AND m.scope IN $scopes AND m.status = 'current'
  AND coalesce(m.expires > toString(date()), true)
  AND (m.owner = $owner OR m.scope STARTS WITH 'workspace:')
RETURN m.title AS title, m.path AS path, m.description AS description, m.cues AS cues,
       left(toStringOrNull(m.content), 8000) AS content
LIMIT $sample
