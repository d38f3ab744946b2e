// A new note; no row when its path is taken.
// parameters: scope, path, owner, properties, at
MERGE (m:Memory {scope: $scope, path: $path})
  ON CREATE SET m.version = 0, m.owner = $owner, m.created_at = $at, m.pinned = false
// The write lock comes before the look at the version, or two writers both see 0.
SET m.path = $path
WITH m
WHERE m.version = 0
SET m += $properties, m.version = 1, m.updated_at = $at
RETURN m.version AS version
