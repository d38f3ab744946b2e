// remember by a hash alone that a text was forgotten
// parameters: person, text_hash, words, now
MERGE (t:Tombstone {person: $person, text_hash: $text_hash})
ON CREATE SET t.words = $words, t.at = $now
