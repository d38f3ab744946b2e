// A new version of a note, the old one kept whole; no row unless it is the owner's and still the version that was read.
// parameters: scope, path, owner, read_version, properties, at
MATCH (m:Memory {scope: $scope, path: $path})
// The write lock comes before the look at the version, or two writers both see the same one.
SET m.path = $path
WITH m
WHERE m.version = $read_version AND m.owner = $owner
OPTIONAL MATCH (m)-[link:PREVIOUS]->(older:MemoryVersion)
CREATE (v:MemoryVersion)
SET v = properties(m), v.replaced_at = $at
CREATE (m)-[:PREVIOUS]->(v)
FOREACH (o IN CASE WHEN older IS NULL THEN [] ELSE [older] END | CREATE (v)-[:PREVIOUS]->(o))
DELETE link
SET m += $properties, m.version = $read_version + 1, m.updated_at = $at
RETURN m.version AS version
