// A dream that could not even ask leaves no record.
// parameters: id
MATCH (d:Dream {id: $id})
DELETE d
