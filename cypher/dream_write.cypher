// The record of one dream.
// parameters: id, properties
MERGE (d:Dream {id: $id})
SET d += $properties
