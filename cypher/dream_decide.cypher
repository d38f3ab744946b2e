// What the person decided about a proposal.
// parameters: id, person, status, at
MATCH (p:Proposal {id: $id, person: $person, status: 'open'})
SET p.status = $status, p.decided_at = $at
RETURN p.id AS id
