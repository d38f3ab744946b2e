// sessions of one person with an event that matches a Lucene query, each with its best; a subagent's count for its main one
// parameters: query, person, repositories, hits
CALL db.index.fulltext.queryNodes('event_words', $query, {limit: $hits}) YIELD node AS hit, score
WHERE hit.person = $person AND ($repositories IS NULL OR hit.repository IN $repositories)
WITH hit, score ORDER BY score DESC, hit.seq DESC
WITH hit.client AS client, coalesce(hit.parent_session_id, hit.session_id) AS session_id,
     max(score) AS score, head(collect(hit)) AS best
MATCH (s:Session {client: client, session_id: session_id})-[:LATEST_EVENT]->(latest:Event)
WHERE NOT coalesce(s.synthetic, false)
RETURN client, session_id, s.started_at AS started_at, latest.timestamp AS until, s.branch AS branch,
       best.repository AS repository, score,
       left(coalesce(best.prompt, best.assistant_text, best.error, best.message, best.tool_input, ''), 300) AS text
ORDER BY latest.seq DESC
