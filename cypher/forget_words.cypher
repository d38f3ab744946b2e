// a text in what dreams said of their changes and in what sessions are called is replaced
// parameters: person, match
MATCH (p:Person {id: $person})
CALL (p) {
  MATCH (:Dream {person: p.id})-[w:WROTE]->() WHERE any(text IN $match WHERE toLower(w.why) CONTAINS text) SET w.why = '[forgotten]'
}
CALL (p) {
  MATCH (d:Dream {person: p.id}) WHERE any(text IN $match WHERE toLower(d.error) CONTAINS text) SET d.error = '[forgotten]'
}
CALL (p) {
  MATCH (:Session)-[d:DEFERRED]->(:Watermark {person: p.id}) WHERE any(text IN $match WHERE toLower(d.why) CONTAINS text)
  SET d.why = '[forgotten]'
}
CALL (p) {
  MATCH (s:Session)-[:BY]->(p) WHERE any(text IN $match WHERE toLower(s.cwd) CONTAINS text) SET s.cwd = null
}
CALL (p) {
  MATCH (s:Session)-[:BY]->(p) WHERE any(text IN $match WHERE toLower(s.branch) CONTAINS text) SET s.branch = null
}
