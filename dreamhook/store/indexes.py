"""Whether the store's indexes are all there, and how to have them again: without one recall finds nothing."""

import re

from neo4j import Driver

import cypher
from dreamhook.store.schema import AWAIT_S

MADE = re.compile(r"CREATE\s+(?:FULLTEXT INDEX|INDEX|CONSTRAINT) (\w+) IF NOT EXISTS")
DROPPED = re.compile(r"DROP (?:INDEX|CONSTRAINT) (\w+) IF EXISTS")


def expected() -> dict[str, str]:
    """Name → the statement that makes it, as the schema files leave them."""
    found: dict[str, str] = {}
    for _, _, statements in cypher.migrations():
        for statement in statements:
            if made := MADE.match(statement):
                found[made[1]] = statement
            elif dropped := DROPPED.match(statement):
                found.pop(dropped[1], None)
    return found


def missing(driver: Driver, database: str | None = None) -> list[str]:
    """Names of those that are not there, or cannot be used (yet)."""
    with driver.session(database=database, default_access_mode="READ") as session:
        rows = session.run(cypher.statement("doctor_indexes")).data()
    usable = {row["name"] for row in rows if row["state"] == "ONLINE"}
    return sorted(set(expected()) - usable)


def restore(driver: Driver, names: list[str], database: str | None = None) -> None:
    """Make them again and wait until they can be used. Raises the driver's errors."""
    with driver.session(database=database) as session:
        for name in names:
            session.run(expected()[name]).consume()
        session.run(cypher.statement("schema_await"), seconds=AWAIT_S).consume()
