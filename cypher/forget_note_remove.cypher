// take out notes with all their versions
// parameters: notes
UNWIND $notes AS note
MATCH (m:Memory {scope: note.scope, path: note.path})
OPTIONAL MATCH (m)-[:PREVIOUS*1..]->(v:MemoryVersion)
DETACH DELETE v, m
