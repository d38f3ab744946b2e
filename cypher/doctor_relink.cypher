// link a page of one session's events in the order of their seq, and take out every link that says otherwise
// parameters: client, session_id, after, limit, now
MATCH (c:Counter {name: 'event_seq'})
SET c.locked_at = $now // nobody appends meanwhile
WITH c
OPTIONAL MATCH (tail:Event {seq: $after})
CALL () {
  MATCH (e:Event) WHERE e.seq > $after AND e.client = $client AND e.session_id = $session_id
  WITH e ORDER BY e.seq LIMIT $limit
  RETURN collect(e) AS page
}
UNWIND range(0, size(page) - 1) AS i
WITH page[i] AS e, CASE i WHEN 0 THEN tail ELSE page[i - 1] END AS before
OPTIONAL MATCH (other:Event)-[link:NEXT]->(e)
WITH e, before, collect(CASE WHEN other = before THEN link END) AS right,
  collect(CASE WHEN before IS NULL OR other <> before THEN link END) AS wrong
OPTIONAL MATCH (e)-[astray:NEXT]->(x) WHERE x.client <> $client OR x.session_id <> $session_id
WITH e, before, right, wrong + right[1..] AS surplus, collect(astray) AS astray
WITH e, before, right, surplus + astray AS surplus
FOREACH (link IN surplus | DELETE link)
FOREACH (a IN CASE WHEN before IS NULL OR size(right) > 0 THEN [] ELSE [before] END | CREATE (a)-[:NEXT]->(e))
RETURN count(e) AS events, max(e.seq) AS last, sum(size(surplus)) AS removed,
  sum(CASE WHEN before IS NULL OR size(right) > 0 THEN 0 ELSE 1 END) AS made
