// A note and all its versions, the present one first.
// parameters: scope, path
MATCH way = (m:Memory {scope: $scope, path: $path})-[:PREVIOUS*0..]->(v)
RETURN v {.*} AS version
ORDER BY length(way)
