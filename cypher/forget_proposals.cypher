// what a dream proposed and the person has not decided: gone if it rests on these events, is about a repository, or holds a text
// parameters: person, events, scope, match
MATCH (p:Proposal {person: $person})
WHERE EXISTS { MATCH (p)-[:DERIVED_FROM]->(e:Event) WHERE e.event_id IN $events }
   OR p.scope = $scope
   OR any(key IN keys(p) WHERE any(text IN $match WHERE toLower(toStringOrNull(p[key])) CONTAINS text))
   OR any(cue IN coalesce(p.cues, []) WHERE any(text IN $match WHERE toLower(cue) CONTAINS text))
DETACH DELETE p
