// Give the lease back, if it is ours.
// parameters: owner
MATCH (l:Lease {name: 'dream', owner: $owner})
SET l.owner = null, l.expires_at = 0
