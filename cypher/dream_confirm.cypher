// More events that say what a note already says.
// parameters: scope, path, owner, events
MATCH (m:Memory {scope: $scope, path: $path, owner: $owner})
UNWIND $events AS event_id
MATCH (e:Event {event_id: event_id})
MERGE (m)-[:DERIVED_FROM]->(e)
