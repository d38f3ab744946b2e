// what the latest sessions of one person in one repository did since a dream looked, latest first, cut to what a handoff shows
// parameters: person, repository, not_this, looked_at, sessions, prompts, events, head, tail
OPTIONAL MATCH (w:Watermark {person: $person, repository: $repository})
WITH coalesce(w.seq, 0) AS seen
CALL (seen) {
  MATCH (e:Event)
  USING INDEX e:Event(person, repository, seq)
  WHERE e.person = $person AND e.repository = $repository AND e.seq > seen
  // The index's own order, backwards: with a sort the cost would grow with all that no dream has seen.
  WITH e ORDER BY e.person DESC, e.repository DESC, e.seq DESC LIMIT $looked_at
  RETURN e.client AS client, e.session_id AS session_id, max(e.seq) AS last
}
MATCH (found:Session {client: client, session_id: session_id})
OPTIONAL MATCH (found)-[:SUBAGENT_OF]->(main:Session)
WITH seen, coalesce(main, found) AS s, max(last) AS last
WHERE s.session_id <> $not_this AND NOT coalesce(s.synthetic, false)
MATCH (s)-[:LATEST_EVENT]->(latest:Event)
WHERE EXISTS { // more than a start and an end
  MATCH (latest)<-[:NEXT*0..1500]-(e)
  WHERE e.seq > seen AND e.repository = $repository
    AND (e:UserPromptSubmit|Stop|AssistantMessage|Interrupt|StopFailure|PostToolUse|PostToolUseFailure)
}
WITH seen, s, latest ORDER BY last DESC LIMIT $sessions
CALL (seen, latest) {
  MATCH (latest)<-[:NEXT*0..1500]-(e)
  WITH DISTINCT seen, e // spares the check that no link is walked twice
  WHERE (e:UserPromptSubmit|Stop|AssistantMessage|SessionEnd|Interrupt|StopFailure|PostToolUse|PostToolUseFailure)
    AND e.repository = $repository // a session can change folders
    AND e.source IS NULL // not a prompt that nobody typed
  WITH seen, e ORDER BY e.seq DESC
  WITH seen, collect(e) AS past
  WITH seen, [e IN past WHERE e:UserPromptSubmit][..$prompts] AS typed,
       [e IN past WHERE e.seq > seen AND NOT e:UserPromptSubmit][..$events] AS rest
  UNWIND [e IN typed WHERE e.seq > seen OR e = typed[0]] + rest AS e
  RETURN e
}
WITH seen, s, e, size(e.tool_input) > $head AS long, left(e.tool_input, $head) AS tool_input
WITH seen, s, e, long, tool_input,
     CASE WHEN long AND tool_input CONTAINS '*** ' THEN split(e.tool_input, ' File: ') ELSE [] END AS parts
RETURN e.client AS client, e.session_id AS session_id, e.event_name AS event_name, e.timestamp AS timestamp,
       coalesce(e.branch, s.branch) AS branch, s.cwd AS cwd, left(e.prompt, 1000) AS prompt, e.seq <= seen AS dreamed,
       left(e.assistant_text, 2000) AS assistant_text, e.tool_name AS tool_name,
       tool_input, CASE WHEN long THEN right(e.tool_input, $tail) END AS tool_input_end,
       // what follows the heads of a patch's files, at the beginning of a line; in JSON that is the two signs \n
       [i IN range(1, size(parts) - 1) WHERE any(
          head IN ['*** Add', '*** Update', '*** Delete']
          WHERE parts[i - 1] = head OR parts[i - 1] ENDS WITH '\n' + head OR parts[i - 1] ENDS WITH '\\n' + head
        ) | left(parts[i], 300)][..30] AS patched,
       coalesce(e.failed, false) OR coalesce(e.outcome_status = 'failed', false)
         OR coalesce(e.exit_status <> 0, false) AS failed,
       e.status AS status, e.source AS source
ORDER BY e.seq DESC
