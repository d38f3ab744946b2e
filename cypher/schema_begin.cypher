// makes the list of applied schema files safe against two writers
// parameters: none
CREATE CONSTRAINT schema_version_key IF NOT EXISTS FOR (v:SchemaVersion) REQUIRE v.version IS UNIQUE
