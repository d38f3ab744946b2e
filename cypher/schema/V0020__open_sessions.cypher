// open_at is the last event's time while a session has not ended: the sweep for silent ones reads no others.
CREATE INDEX session_open IF NOT EXISTS FOR (s:Session) ON (s.open_at);
MATCH (s:Session)-[:LATEST_EVENT]->(e:Event) WHERE s.ended_at IS NULL SET s.open_at = e.timestamp;
