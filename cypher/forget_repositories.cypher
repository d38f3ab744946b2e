// ids of the repositories that go by a name, an id or a remote
// parameters: name
MATCH (r:Repository)
WHERE $name IN [r.id, r.name, r.remote]
RETURN r.id AS id
