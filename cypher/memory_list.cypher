// A person's notes, by scope and path.
// parameters: person, statuses, limit
MATCH (m:Memory)-[:OWNED_BY]->(:Person {id: $person})
WHERE m.status IN $statuses
OPTIONAL MATCH (m)-[:ABOUT]->(r:Repository)
WITH m, min(r.name) AS repository
RETURN m {.scope, .path, .title, .kind, .description, .version, .status, .pinned, .updated_at, .review_by, .expires,
          repository: repository} AS memory
ORDER BY m.scope STARTS WITH 'repo:', repository, m.scope, m.path
LIMIT $limit
