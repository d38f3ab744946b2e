"""Whether the store's indexes are there and as we make them, and how to have them again: recall searches by them."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from neo4j import Session

import cypher
from dreamhook.store.query import Store
from dreamhook.store.schema import AWAIT_S

MADE = re.compile(r"CREATE\s+(?:FULLTEXT INDEX|INDEX|CONSTRAINT) (\w+) IF NOT EXISTS")
DROPPED = re.compile(r"DROP (?:INDEX|CONSTRAINT) (\w+) IF EXISTS")
ANALYZER = re.compile(r"`fulltext\.analyzer`: '([\w-]+)'")


class Shape(NamedTuple):
    """What an index is for. One of the right name and another shape finds nothing, or the wrong things."""

    type: str
    labels: tuple[str, ...]
    properties: tuple[str, ...]
    """In their order, which matters to a range index only: of a full-text one they are sorted."""
    constraint: bool
    analyzer: str | None


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


def missing(store: Store) -> list[str]:
    """Names of those that are not there, are of another shape, or cannot be used (yet)."""
    with store.session("READ") as session:
        there = {row["name"]: row for row in _rows(session)}
    return sorted(
        name
        for name, statement in expected().items()
        if name not in there
        or there[name]["state"] != "ONLINE"
        or _shape(there[name]) != _wanted(statement)
    )


def restore(store: Store, names: list[str]) -> None:
    """Make them again and wait until they can be used. Raises the driver's errors.

    What bears their name and is another index, or failed, goes first; so does an index of the same properties under a
    name that is not ours, for the store has none twice.
    """
    ours = expected()
    shapes = {name: _wanted(ours[name]) for name in names}
    taken = {shape[:3] for shape in shapes.values()}
    with store.session() as session:
        for row in _rows(session):
            name, shape = row["name"], _shape(row)
            bad = name in shapes and (shape != shapes[name] or row["state"] == "FAILED")
            if bad or (name not in ours and shape[:3] in taken):
                which = "schema/drop_constraint" if row["constraint"] else "schema/drop_index"
                session.run(cypher.statement(which), name=name).consume()
        for name in names:
            session.run(ours[name]).consume()
        session.run(cypher.statement("schema_await"), seconds=AWAIT_S).consume()


def _rows(session: Session) -> list[dict[str, Any]]:
    return session.run(cypher.statement("doctor_indexes")).data()


def _shape(row: Mapping[str, Any]) -> Shape:
    """Of a row of doctor_indexes.cypher."""
    properties = row["properties"] or []
    return Shape(
        row["type"],
        tuple(row["labels"] or []),
        tuple(sorted(properties) if row["type"] == "FULLTEXT" else properties),
        row["constraint"] is not None,
        row["analyzer"],
    )


def _wanted(statement: str) -> Shape:
    """Of a statement in the schema."""
    fulltext, constraint = "FULLTEXT" in statement, statement.startswith("CREATE CONSTRAINT")
    schema, _, options = statement.partition("OPTIONS")
    properties = re.findall(r"\b\w\.(\w+)", schema)
    analyzer = ANALYZER.search(options)
    return Shape(
        "FULLTEXT" if fulltext else "RANGE",
        tuple(re.findall(r"FOR \(\w+:(\w+)\)", schema)),
        tuple(sorted(properties) if fulltext else properties),
        constraint,
        analyzer[1] if analyzer else None,
    )
