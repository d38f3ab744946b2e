// put what is left of a note in its place; the version counts up, so that nobody writes over it what they read before
// parameters: scope, path, properties
MATCH (m:Memory {scope: $scope, path: $path})
SET m += $properties, m.version = m.version + 1
