// the words of a sample of the permitted notes, and how many notes there are
// parameters: scopes, scope_keys, owner, sample
CALL () {
  MATCH (m:Memory)
  WHERE m.scope_key IN $scope_keys AND m.scope IN $scopes AND m.status = 'current'
    AND (m.owner = $owner OR m.scope STARTS WITH 'workspace:')
  RETURN count(m) AS notes
}
MATCH (m:Memory)
WHERE m.scope_key IN $scope_keys AND m.scope IN $scopes AND m.status = 'current'
  AND (m.owner = $owner OR m.scope STARTS WITH 'workspace:')
WITH notes, m LIMIT $sample
RETURN notes, m.title AS title, m.path AS path, m.description AS description, m.cues AS cues,
       left(toStringOrNull(m.content), 1500) AS content
