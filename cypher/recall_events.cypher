// events of one person that match a Lucene query, with what stands before and after each in its list
// parameters: query, person, repositories, limit, wanted
CALL db.index.fulltext.queryNodes('event_text', $query, {limit: $limit}) YIELD node AS e, score
WHERE e.person = $person AND ($repositories IS NULL OR e.repository IN $repositories)
WITH e, score ORDER BY score DESC LIMIT $wanted
OPTIONAL MATCH (before:Event)-[:NEXT]->(e)
OPTIONAL MATCH (e)-[:NEXT]->(after:Event)
RETURN e.event_id AS event_id, e.client AS client, e.session_id AS session_id, e.event_name AS event_name,
       e.timestamp AS timestamp, e.repository AS repository, e.seq AS seq, score,
       before.event_id AS before, after.event_id AS after,
       left(coalesce(e.prompt, e.assistant_text, e.error, e.message, e.tool_input, ''), 4000) AS text
ORDER BY score DESC
