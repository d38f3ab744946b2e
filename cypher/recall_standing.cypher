// whether a conversation was ever told anything, and whether it was compacted since
// parameters: client, session_id
MATCH (s:Session {client: $client, session_id: $session_id})
RETURN s.told_at IS NOT NULL AS told,
       s.told_at IS NOT NULL AND EXISTS {
         MATCH (s)-[:LATEST_EVENT]->(latest:Event)
         MATCH (latest)(()<-[:NEXT]-(e:Event WHERE e.timestamp > s.told_at)){0,2000}(compacted:Event)
         WHERE compacted.event_name = 'PreCompact' AND compacted.timestamp > s.told_at
       } AS compacted
