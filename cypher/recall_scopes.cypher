// the scopes in which a person has current memories
// parameters: person, limit
MATCH (m:Memory) WHERE m.owner = $person AND m.status = 'current'
RETURN DISTINCT m.scope AS scope ORDER BY scope LIMIT $limit
