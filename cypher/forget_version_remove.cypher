// take one old version out of a note's line of versions
// parameters: id
MATCH (v:MemoryVersion) WHERE elementId(v) = $id
OPTIONAL MATCH (newer)-[:PREVIOUS]->(v)
OPTIONAL MATCH (v)-[:PREVIOUS]->(older)
FOREACH (n IN CASE WHEN newer IS NULL OR older IS NULL THEN [] ELSE [newer] END | CREATE (n)-[:PREVIOUS]->(older))
DETACH DELETE v
