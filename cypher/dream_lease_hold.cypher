// Still ours? Then extended, and locked until this transaction ends; no row when it was lost.
// parameters: owner, milliseconds
MATCH (l:Lease {name: 'dream'})
SET l.name = 'dream'
WITH l
WHERE l.owner = $owner
SET l.expires_at = timestamp() + $milliseconds
RETURN l.owner AS owner
