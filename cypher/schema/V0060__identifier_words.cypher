// The words inside identifiers stand in the index, for it takes flush_ledger_queue and app.py for one word each. Notes
// of before are found as they were until the worker has given them theirs.
DROP INDEX memory_text IF EXISTS;
CREATE FULLTEXT INDEX memory_text IF NOT EXISTS FOR (m:Memory)
ON EACH [m.title, m.path_words, m.description, m.cues, m.content, m.identifier_words, m.scope_key, m.status]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}};
