// What a note belongs to and which events it stems from; repeatable.
// parameters: scope, path, owner, repository, events
MATCH (m:Memory {scope: $scope, path: $path})
MERGE (p:Person {id: $owner})
MERGE (m)-[:OWNED_BY]->(p)
WITH m
OPTIONAL MATCH (r:Repository {id: $repository})
FOREACH (about IN CASE WHEN r IS NULL THEN [] ELSE [r] END | MERGE (m)-[:ABOUT]->(about))
WITH m
UNWIND $events AS event_id
MATCH (e:Event {event_id: event_id})
MERGE (m)-[:DERIVED_FROM]->(e)
