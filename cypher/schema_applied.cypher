// which schema files this store has had
// parameters: none
MATCH (v:SchemaVersion)
RETURN v.version AS version, v.name AS name
ORDER BY version
