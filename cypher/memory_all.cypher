// All notes of a person with their text; `gone`: those that are no longer current too.
// parameters: person, gone
MATCH (m:Memory)-[:OWNED_BY]->(:Person {id: $person})
WHERE $gone OR m.status = 'current'
RETURN m {.scope, .path, .version, .status, .content} AS memory
ORDER BY m.scope, m.path
