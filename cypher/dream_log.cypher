// A person's dreams, the latest first; `start`: only those whose id begins so.
// parameters: person, start, limit
MATCH (d:Dream {person: $person})
WHERE d.id STARTS WITH $start
OPTIONAL MATCH (r:Repository {id: d.repository})
RETURN d {.*} AS dream, coalesce(r.name, d.repository) AS name,
       COLLECT { MATCH (d)-[w:WROTE]->(m:Memory)
                 RETURN w {.*, scope: m.scope, path: m.path, now: m.version, owner: m.owner} ORDER BY m.path } AS wrote,
       COLLECT { MATCH (d)-[:PROPOSED]->(p:Proposal) RETURN p {.id, .path, .status, .reason} ORDER BY p.path } AS proposed
ORDER BY d.started_at DESC, d.id DESC
LIMIT $limit
