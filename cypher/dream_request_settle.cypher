// A request of a batch is answered, or came to nothing; what it was made of is no longer needed.
// parameters: id, status
MATCH (q:DreamRequest {id: $id})
SET q.status = $status, q.context = null
