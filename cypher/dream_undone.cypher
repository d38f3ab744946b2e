// A dream was taken back, as far as it was.
// parameters: id, at
MATCH (d:Dream {id: $id})
SET d.undone_at = $at
