// when the last event was captured and the last dream began
// parameters: none
OPTIONAL MATCH (e:Event) WHERE e.seq > 0
WITH e ORDER BY e.seq DESC LIMIT 1
OPTIONAL MATCH (d:Dream {status: 'done'})
RETURN e.timestamp AS last_capture_at, max(d.started_at) AS last_dream_at
