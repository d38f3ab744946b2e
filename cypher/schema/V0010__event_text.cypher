// What `memory search --events` asks. Filled behind the commit, so that an append does not wait for it.
CREATE FULLTEXT INDEX event_text IF NOT EXISTS FOR (e:Event)
ON EACH [e.prompt, e.assistant_text, e.tool_input, e.error, e.message]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'english', `fulltext.eventually_consistent`: true}};
