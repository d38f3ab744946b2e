// These events as they are stored now; one that was forgotten is missing.
// parameters: person, events
UNWIND $events AS event_id
MATCH (e:Event {event_id: event_id})
WHERE e.person = $person
RETURN e {.*} AS event
