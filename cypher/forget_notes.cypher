// a person's notes that rest on these events, and of which nothing else supports
// parameters: person, events
UNWIND $events AS event_id
MATCH (:Event {event_id: event_id})<-[:DERIVED_FROM]-(m:Memory {owner: $person})
WITH m, count(*) AS gone
RETURN m.scope AS scope, m.path AS path, COUNT { (m)-[:DERIVED_FROM]->(:Event) } = gone AS whole
ORDER BY scope, path
