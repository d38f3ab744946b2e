// what is left of a repository of which a person has nothing any more
// parameters: person, repository
OPTIONAL MATCH (w:Watermark {person: $person, repository: $repository})
DETACH DELETE w
WITH count(*) AS _
MATCH (r:Repository {id: $repository})
WHERE NOT EXISTS { ()-[:IN_REPOSITORY|ABOUT]->(r) }
DETACH DELETE r
