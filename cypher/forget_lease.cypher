// take the dream's lease from whoever holds it: what that dream has read must not be stored any more
// parameters: owner, milliseconds
MERGE (l:Lease {name: 'dream'})
SET l.owner = $owner, l.expires_at = timestamp() + $milliseconds
