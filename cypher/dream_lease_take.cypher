// Take the lease, or keep it; no row while another dream holds it. The store's clock decides.
// parameters: owner, milliseconds
MERGE (l:Lease {name: 'dream'})
SET l.name = 'dream'
WITH l
WHERE l.owner IS NULL OR l.owner = $owner OR l.expires_at < timestamp()
SET l.owner = $owner, l.expires_at = timestamp() + $milliseconds
RETURN l.owner AS owner
