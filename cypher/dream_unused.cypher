// Notes that were not changed, nor given to a session, since a time: their retirement is proposed, once.
// parameters: person, before, limit, at
MATCH (m:Memory)-[:OWNED_BY]->(:Person {id: $person})
WHERE m.status = 'current' AND m.updated_at < $before AND NOT coalesce(m.pinned, false)
  AND NOT coalesce(m.edited_by_hand, false)
  AND NOT EXISTS { (:Session)-[i:INJECTED]->(m) WHERE i.at >= $before }
  AND NOT EXISTS { (p:Proposal {person: $person, scope: m.scope, path: m.path})
                   WHERE p.status = 'open' OR (p.unused AND p.read_version = m.version) }
WITH m ORDER BY m.updated_at, m.path LIMIT $limit
CREATE (p:Proposal {id: 'p-' + substring(randomUUID(), 0, 8), person: $person, scope: m.scope, path: m.path})
SET p.status = 'open', p.action = 'retire', p.unused = true, p.read_version = m.version, p.content = m.content,
    p.reason = 'no session was given it since ' + substring($before, 0, 10), p.why = 'unused', p.created_at = $at,
    p.repository = CASE WHEN m.scope STARTS WITH 'repo:' THEN substring(m.scope, 5) END
RETURN p.path AS path
