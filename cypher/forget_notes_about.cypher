// a person's notes of one repository, and notes or versions of notes that hold a text; null means neither
// parameters: person, scope, match
MATCH (m:Memory {owner: $person})
OPTIONAL MATCH (m)-[:PREVIOUS*1..]->(v:MemoryVersion)
WITH m, collect(v) + [m] AS all
WITH m, coalesce(m.scope = $scope, false) AS whole,
     coalesce(any(one IN all WHERE any(text IN
       [one.content, one.title, one.description, one.path, one.path_words] + coalesce(one.cues, [])
       WHERE any(part IN $match WHERE toLower(text) CONTAINS part))), false) AS matched,
     coalesce(any(part IN $match WHERE toLower(m.path + ' ' + m.path_words) CONTAINS part), false) AS named
WHERE whole OR matched
RETURN m.scope AS scope, m.path AS path, whole OR named AS whole
ORDER BY scope, path
