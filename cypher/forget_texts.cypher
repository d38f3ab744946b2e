// the hashes of a person's forgotten texts, with how many words each has
// parameters: person
MATCH (t:Tombstone {person: $person}) WHERE t.text_hash IS NOT NULL
RETURN t.text_hash AS text_hash, t.words AS words
