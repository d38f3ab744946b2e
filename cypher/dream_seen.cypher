// Up to where a person's events in a repository were offered, and which sessions are put off, by state.
// parameters: person, repository
OPTIONAL MATCH (w:Watermark {person: $person, repository: $repository})
RETURN coalesce(w.seq, 0) AS seq,
       COLLECT { MATCH (s:Session)-[d:DEFERRED]->(w)
                 RETURN {client: s.client, session_id: s.session_id, from_seq: d.from_seq} } AS put_off
