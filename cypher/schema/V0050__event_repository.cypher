// The repository stands in the index, so that a small one is not lost behind the hits of the others. Same fields
// otherwise; a store of a million events takes about a minute to fill it, in which events wait in the spool.
CREATE FULLTEXT INDEX event_words IF NOT EXISTS FOR (e:Event)
ON EACH [e.prompt, e.assistant_text, e.tool_input, e.error, e.message, e.repository]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: true}};
DROP INDEX event_text IF EXISTS;
