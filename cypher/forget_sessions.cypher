// a person's sessions whose id begins so; subagents' sessions belong to their parent's
// parameters: person, start
MATCH (s:Session)-[:BY]->(:Person {id: $person})
WHERE s.session_id STARTS WITH $start
RETURN DISTINCT split(s.session_id, '/')[0] AS session
LIMIT 20
