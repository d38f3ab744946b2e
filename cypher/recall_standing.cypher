// whether a conversation was ever told anything, and whether it was compacted since
// parameters: client, session_id
MATCH (s:Session {client: $client, session_id: $session_id})
RETURN s.told_at IS NOT NULL AS told,
       s.told_at IS NOT NULL AND EXISTS {
         (s)-[:LATEST_EVENT]->(latest:Event) WHERE EXISTS {
           MATCH (latest)<-[:NEXT*0..200]-(e:Event)
           WHERE e.event_name = 'PreCompact' AND e.timestamp > s.told_at
         }
       } AS compacted
