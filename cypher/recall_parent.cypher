// the told conversation of a client in one folder in which something ended within a span of time, a turn before a tool
// parameters: client, cwd, not_this, since, until
MATCH (s:Session {client: $client})
WHERE s.cwd = $cwd AND s.told_at IS NOT NULL AND s.session_id <> $not_this
MATCH (s)-[:LATEST_EVENT]->(latest:Event) WHERE latest.timestamp >= $since
MATCH (latest)<-[:NEXT*0..100]-(e:Event)
WHERE e.timestamp >= $since AND e.timestamp <= $until
  AND e.event_name IN ['Stop', 'StopFailure', 'PostToolUse', 'PostToolUseFailure']
RETURN s.session_id AS session_id ORDER BY e.event_name = 'Stop' DESC, e.timestamp LIMIT 1
