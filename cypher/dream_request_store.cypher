// Requests that were submitted in a batch, each with its dream; ids and sequence numbers only, no text.
// parameters: requests
UNWIND $requests AS request
MERGE (q:DreamRequest {id: request.id})
SET q += request.properties, q.status = 'waiting', q.dream = request.dream
MERGE (d:Dream {id: request.dream})
SET d += request.record
MERGE (d)-[:ASKED]->(q)
