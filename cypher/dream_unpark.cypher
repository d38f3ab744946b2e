// Parked sessions of a person are tried again, each alone.
// parameters: person
MATCH (:Session)-[d:DEFERRED {state: 'parked'}]->(:Watermark {person: $person})
SET d.state = 'alone', d.times = 0, d.failures = 0
RETURN count(d) AS sessions
