// one note and all its versions, newest first
// parameters: scope, path
MATCH (m:Memory {scope: $scope, path: $path})
OPTIONAL MATCH way = (m)-[:PREVIOUS*1..]->(v:MemoryVersion)
WITH m, v, length(way) AS age ORDER BY age
RETURN properties(m) AS note, [one IN collect(v) | {id: elementId(one), properties: properties(one)}] AS versions
