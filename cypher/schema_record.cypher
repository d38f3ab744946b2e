// notes a schema file as applied; the first time counts
// parameters: version, name
MERGE (v:SchemaVersion {version: $version})
ON CREATE SET v.name = $name, v.applied_at = datetime()
