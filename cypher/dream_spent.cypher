// Tokens of a person's dreams that began at or after a time; one that never ended counts as it was expected to cost.
// parameters: person, since
MATCH (d:Dream {person: $person})
WHERE d.started_at >= $since
RETURN coalesce(sum(coalesce(d.input_tokens, 0) + coalesce(d.output_tokens, 0)), 0) AS tokens
