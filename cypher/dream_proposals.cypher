// A person's open proposals, oldest first.
// parameters: person
MATCH (p:Proposal {person: $person, status: 'open'})
OPTIONAL MATCH (m:Memory {scope: p.scope, path: p.path})
RETURN p {.*} AS proposal, m {.version, .content, .status, .owner} AS memory
ORDER BY p.created_at, p.id
