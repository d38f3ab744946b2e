// A note whose version is no number from 1 on gets the one after its latest kept version; the number it has then.
// parameters: scope, path, owner
MATCH (m:Memory {scope: $scope, path: $path, owner: $owner})
SET m.path = $path
WITH m
OPTIONAL MATCH (m)-[:PREVIOUS*]->(v:MemoryVersion) WHERE v.version IS :: INTEGER NOT NULL
WITH m, coalesce(max(v.version), 0) + 1 AS next
SET m.version = CASE WHEN m.version IS :: INTEGER NOT NULL AND m.version > 0 THEN m.version ELSE next END
RETURN m.version AS version
