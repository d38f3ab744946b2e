// put what is left of an old version in its place
// parameters: id, properties
MATCH (v:MemoryVersion) WHERE elementId(v) = $id
SET v += $properties
