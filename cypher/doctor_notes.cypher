// current notes of one person that are not as we write them: they can still be told, but not be found as they should
// parameters: person, limit
MATCH (m:Memory {owner: $person, status: 'current'})
WHERE NOT (
  m.scope IS :: STRING NOT NULL AND m.scope_key IS :: STRING NOT NULL AND m.path IS :: STRING NOT NULL
  AND m.title IS :: STRING NOT NULL AND m.content IS :: STRING NOT NULL AND m.version IS :: INTEGER NOT NULL
  AND m.description IS :: STRING AND m.cues IS :: LIST<STRING NOT NULL>
)
RETURN toStringOrNull(m.path) AS path ORDER BY path LIMIT $limit
