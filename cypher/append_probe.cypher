// a write that changes nothing anybody reads: whether the store takes writes at all
// parameters: now
MATCH (c:Counter {name: 'event_seq'})
SET c.locked_at = $now
RETURN count(c) AS counters
