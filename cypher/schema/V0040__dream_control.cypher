// What a dream only proposes, what it has asked for and not yet been answered, and whose dreams cost how much.
CREATE CONSTRAINT proposal_key IF NOT EXISTS FOR (p:Proposal) REQUIRE p.id IS UNIQUE;
CREATE CONSTRAINT dream_request_key IF NOT EXISTS FOR (q:DreamRequest) REQUIRE q.id IS UNIQUE;
CREATE INDEX proposal_open IF NOT EXISTS FOR (p:Proposal) ON (p.person, p.status);
CREATE INDEX dream_of IF NOT EXISTS FOR (d:Dream) ON (d.person, d.started_at);
MATCH (:Session)-[d:DEFERRED]->(:Watermark) WHERE d.state IS NULL SET d.state = 'deferred';
