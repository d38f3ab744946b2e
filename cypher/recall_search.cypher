// the memories nearest to a Lucene query that holds the permitted scopes; scope and owner are checked once more
// parameters: query, scopes, owner, limit, client, session_id
OPTIONAL MATCH (s:Session {client: $client, session_id: $session_id})
CALL db.index.fulltext.queryNodes('memory_text', $query, {limit: 4 * $limit}) YIELD node AS m, score
WHERE m.scope IN $scopes AND m.status = 'current' AND coalesce(m.expires > toString(date()), true)
  AND (m.owner = $owner OR m.scope STARTS WITH 'workspace:')
// in a store that people share, others' notes on the same repository are found as well
WITH s, m, score ORDER BY score DESC, m.path LIMIT $limit
RETURN m.scope AS scope, m.path AS path, m.title AS title, m.description AS description, m.version AS version,
       m.review_by AS review_by, m.evidence_notes AS evidence_notes, m.cues AS cues, m.pinned AS pinned,
       m.content AS content, score,
       s IS NOT NULL
         AND EXISTS { (s)-[i:INJECTED {version: m.version}]->(m) WHERE i.at >= coalesce(s.forgot_at, '') } AS given,
       // what the conversation alone brought forth, or the one it was forked from, stands in it until it was compacted
       s IS NOT NULL AND NOT coalesce(m.edited_by_hand, false)
         AND EXISTS { (m)-[:DERIVED_FROM]->(:Event {client: $client}) }
         AND NOT EXISTS { (m)-[:DERIVED_FROM]->(e:Event)
                          WHERE e.client <> $client OR e.timestamp < coalesce(s.forgot_at, '')
                            OR NOT (e.session_id = $session_id OR coalesce(e.parent_session_id = $session_id, false)
                              OR coalesce(e.session_id IN s.forked_from AND e.timestamp <= s.forked_at, false))
                        } AS own
ORDER BY score DESC, m.path
