// the counter anew, after somebody emptied the store by hand; it goes on after the highest seq there is
// parameters: none
OPTIONAL MATCH (e:Event)
WITH coalesce(max(e.seq), 0) AS highest
MERGE (c:Counter {name: 'event_seq'})
ON CREATE SET c.value = highest
