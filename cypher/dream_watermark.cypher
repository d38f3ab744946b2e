// All events up to this seq were offered; it never goes back.
// parameters: person, repository, seq
MERGE (w:Watermark {person: $person, repository: $repository})
SET w.seq = CASE WHEN coalesce(w.seq, 0) < $seq THEN $seq ELSE w.seq END
