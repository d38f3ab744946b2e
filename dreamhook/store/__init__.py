"""Neo4j: where it runs, how to reach it, its schema."""
