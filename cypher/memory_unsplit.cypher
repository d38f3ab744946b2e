// notes without the words inside their identifiers
// parameters: limit
MATCH (m:Memory) WHERE m.identifier_words IS NULL
RETURN elementId(m) AS id, m {.path, .title, .description, .cues, .content} AS note
LIMIT $limit
