// When this person's dream last tried, whatever came of it.
// parameters: person
MATCH (d:Dream {person: $person})
RETURN max(d.started_at) AS at
