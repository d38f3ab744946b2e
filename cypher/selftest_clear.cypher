// remove one person's earlier self-tests, so that only the last can be looked at
// parameters: person, prefix
MATCH (s:Session)-[:BY]->(:Person {id: $person})
WHERE s.session_id STARTS WITH $prefix
OPTIONAL MATCH (s)-[:FIRST_EVENT]->(first:Event)
OPTIONAL MATCH (first)-[:NEXT*0..50]->(e:Event)
WITH collect(DISTINCT s) + collect(DISTINCT e) AS gone
FOREACH (node IN gone | DETACH DELETE node)
