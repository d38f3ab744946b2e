// the memories nearest to a Lucene query that holds the permitted scopes; scope and owner are checked once more
// parameters: query, scopes, owner, limit
CALL db.index.fulltext.queryNodes('memory_text', $query, {limit: $limit}) YIELD node AS m, score
WHERE m.scope IN $scopes AND m.status = 'current' AND (m.owner = $owner OR m.scope STARTS WITH 'workspace:')
RETURN m.scope AS scope, m.path AS path, m.title AS title, m.description AS description, m.version AS version,
       m.review_by AS review_by, m.evidence_notes AS evidence_notes, m.cues AS cues, true AS whole,
       m.content AS content, score
ORDER BY score DESC, m.path
