// the latest events of one person in one repository that no dream has seen, latest first, cut to what a handoff shows
// parameters: person, repository, not_this, limit
OPTIONAL MATCH (w:Watermark {person: $person, repository: $repository})
WITH coalesce(w.seq, 0) AS seen
MATCH (e:Event)
WHERE e.person = $person AND e.repository = $repository AND e.seq > seen
WITH e ORDER BY e.seq DESC LIMIT $limit
WHERE e.session_id <> $not_this AND e.parent_session_id IS NULL
MATCH (s:Session {client: e.client, session_id: e.session_id}) WHERE NOT coalesce(s.synthetic, false)
RETURN e.client AS client, e.session_id AS session_id, e.event_name AS event_name, e.timestamp AS timestamp,
       coalesce(e.branch, s.branch) AS branch, left(e.prompt, 1000) AS prompt,
       left(e.assistant_text, 2000) AS assistant_text, e.tool_name AS tool_name, left(e.tool_input, 4000) AS tool_input,
       coalesce(e.failed, false) OR coalesce(e.outcome_status = 'failed', false) OR coalesce(e.exit_status <> 0, false) AS failed, e.status AS status, e.source AS source
ORDER BY e.seq DESC
