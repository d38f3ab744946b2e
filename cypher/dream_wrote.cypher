// That a dream wrote a note, and from which version to which.
// parameters: id, scope, path, action, from_version, to_version, why
MATCH (d:Dream {id: $id})
MATCH (m:Memory {scope: $scope, path: $path})
CREATE (d)-[:WROTE {action: $action, from_version: $from_version, to_version: $to_version, why: $why}]->(m)
