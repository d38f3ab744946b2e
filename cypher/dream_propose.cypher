// A change that the person decides about; it takes the place of an open one for the same note.
// parameters: dream, id, person, scope, path, properties, events
OPTIONAL MATCH (older:Proposal {person: $person, scope: $scope, path: $path, status: 'open'})
SET older.status = 'replaced'
WITH count(older) AS replaced
MATCH (d:Dream {id: $dream})
CREATE (p:Proposal {id: $id, person: $person, scope: $scope, path: $path, status: 'open'})
SET p += $properties
CREATE (d)-[:PROPOSED]->(p)
WITH p
UNWIND $events AS event_id
MATCH (e:Event {event_id: event_id})
MERGE (p)-[:DERIVED_FROM]->(e)
