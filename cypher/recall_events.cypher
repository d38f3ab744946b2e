// events of one person that match a Lucene query or stand beside such in their list, best first
// parameters: query, person, repositories, hits, best, long, beside, limit
CALL db.index.fulltext.queryNodes('event_words', $query, {limit: $hits}) YIELD node AS hit, score
WHERE hit.person = $person AND ($repositories IS NULL OR hit.repository IN $repositories)
WITH hit, score ORDER BY score DESC LIMIT $best
WITH hit, score, size(coalesce(hit.prompt, hit.assistant_text, hit.error, hit.message, hit.tool_input, '')) AS length
WITH hit, score * $long / ($long + length) AS score
CALL (hit, score) {
  MATCH steps = (hit)-[:NEXT*0..2]->(e:Event)
  RETURN e, score * $beside ^ length(steps) AS share
  UNION ALL
  MATCH steps = (e:Event)-[:NEXT*1..2]->(hit)
  RETURN e, score * $beside ^ length(steps) AS share
}
WITH e, sum(share) AS score
WHERE e.person = $person AND ($repositories IS NULL OR e.repository IN $repositories) // a session can change folders
WITH e, score, coalesce(e.prompt, e.assistant_text, e.error, e.message, e.tool_input, '') AS text
WHERE text <> ''
WITH e, score, text ORDER BY score DESC, e.seq DESC LIMIT $limit
RETURN e.event_id AS event_id, e.client AS client, e.session_id AS session_id, e.event_name AS event_name,
       e.timestamp AS timestamp, e.repository AS repository, left(text, 4000) AS text, score
ORDER BY score DESC, e.seq DESC
