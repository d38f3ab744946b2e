// What a person's dreams have asked for in a batch and not yet settled, oldest first.
// parameters: person
MATCH (q:DreamRequest {person: $person, status: 'waiting'})
RETURN q {.id, .batch, .dream, .repository, .max_tokens, .context} AS request
ORDER BY q.created_at, q.id
