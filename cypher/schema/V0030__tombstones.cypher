// What a person had forgotten: event ids and keyed hashes, no text.
CREATE CONSTRAINT tombstone_event IF NOT EXISTS FOR (t:Tombstone) REQUIRE t.event_id IS UNIQUE;
CREATE INDEX tombstone_text IF NOT EXISTS FOR (t:Tombstone) ON (t.text_hash);
