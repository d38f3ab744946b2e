// ends the sessions that have said nothing since then, at their last event; a new event opens one again
// parameters: before
MATCH (s:Session) WHERE s.open_at < $before
SET s.ended_at = s.open_at, s.end_reason = 'silence'
REMOVE s.open_at
RETURN count(s) AS closed
