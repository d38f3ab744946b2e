// give notes the words inside their identifiers
// parameters: rows
UNWIND $rows AS row
MATCH (m:Memory) WHERE elementId(m) = row.id
SET m.identifier_words = row.words
