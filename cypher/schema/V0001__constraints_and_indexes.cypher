// What must be unique is unique in the store: MERGE without a constraint makes twins under load.
CREATE CONSTRAINT session_key IF NOT EXISTS FOR (s:Session) REQUIRE (s.client, s.session_id) IS UNIQUE;
CREATE CONSTRAINT event_key IF NOT EXISTS FOR (e:Event) REQUIRE e.event_id IS UNIQUE;
CREATE CONSTRAINT repository_key IF NOT EXISTS FOR (r:Repository) REQUIRE r.id IS UNIQUE;
CREATE CONSTRAINT person_key IF NOT EXISTS FOR (p:Person) REQUIRE p.id IS UNIQUE;
CREATE CONSTRAINT workspace_key IF NOT EXISTS FOR (w:Workspace) REQUIRE w.id IS UNIQUE;
CREATE CONSTRAINT memory_key IF NOT EXISTS FOR (m:Memory) REQUIRE (m.scope, m.path) IS UNIQUE;
CREATE CONSTRAINT dream_key IF NOT EXISTS FOR (d:Dream) REQUIRE d.id IS UNIQUE;
CREATE CONSTRAINT watermark_key IF NOT EXISTS FOR (w:Watermark) REQUIRE (w.person, w.repository) IS UNIQUE;
CREATE CONSTRAINT lease_key IF NOT EXISTS FOR (l:Lease) REQUIRE l.name IS UNIQUE;
CREATE CONSTRAINT counter_key IF NOT EXISTS FOR (c:Counter) REQUIRE c.name IS UNIQUE;
// What the dream reads: one person's events in one repository, past a seq.
CREATE INDEX event_order IF NOT EXISTS FOR (e:Event) ON (e.person, e.repository, e.seq);
// The newest event of all.
CREATE INDEX event_seq IF NOT EXISTS FOR (e:Event) ON (e.seq);
CREATE INDEX memory_scope IF NOT EXISTS FOR (m:Memory) ON (m.scope_key, m.status);
// What recall asks. scope_key is a single word, so the scope stands inside the Lucene query.
CREATE FULLTEXT INDEX memory_text IF NOT EXISTS FOR (m:Memory)
ON EACH [m.title, m.path_words, m.description, m.cues, m.content, m.scope_key, m.status]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}};
MERGE (c:Counter {name: 'event_seq'}) ON CREATE SET c.value = 0;
