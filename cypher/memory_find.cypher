// A person's notes at a path, one per scope that has it.
// parameters: person, path
MATCH (m:Memory {path: $path})-[:OWNED_BY]->(:Person {id: $person})
OPTIONAL MATCH (m)-[:ABOUT]->(r:Repository)
WITH m, min(r.name) AS repository
RETURN m {.*, repository: repository} AS memory
ORDER BY m.scope
