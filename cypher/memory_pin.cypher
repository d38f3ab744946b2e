// A pinned note is shown at every start, and no dream rewrites it.
// parameters: scope, path, owner, pinned
MATCH (m:Memory {scope: $scope, path: $path, owner: $owner})
SET m.pinned = $pinned
RETURN m.version AS version
