"""Brings the store's schema up to ours: cypher/schema/V000N files, once each, in order."""

import time
from typing import Any, LiteralString

from neo4j import Session
from neo4j.exceptions import ClientError, Neo4jError

import cypher
from dreamhook.store.endpoint import StoreUnavailable
from dreamhook.store.query import Store

AWAIT_S = 120
TRIES = 6


def migrate(store: Store) -> list[str]:
    """Apply the schema files this store has not had; returns their names.

    Two at once are safe: every statement may run twice. Ends when all indexes are usable.
    Raises StoreUnavailable when the store's schema is newer than this dreamhook.
    """
    ours = cypher.migrations()
    with store.session() as session:
        _run(session, cypher.statement("schema_begin"))
        applied = {
            row["version"]: row["name"] for row in _run(session, cypher.statement("schema_applied"))
        }
        newer = sorted(set(applied) - {version for version, _, _ in ours})
        if newer:
            raise StoreUnavailable(
                f"the store was made by a newer dreamhook (it has {applied[newer[-1]]}); nothing was changed, "
                "update this dreamhook"
            )
        missing = [one for one in ours if one[0] not in applied]
        for version, name, statements in missing:
            for statement in statements:
                _run(session, statement)
            _run(session, cypher.statement("schema_record"), version=version, name=name)
        _run(session, cypher.statement("schema_await"), seconds=AWAIT_S)
    return [name for _, name, _ in missing]


def _run(session: Session, statement: LiteralString, **parameters: Any) -> list[dict[str, Any]]:
    """One statement in its own transaction, for schema and data do not mix; again when another start is in the way."""
    for attempt in range(1, TRIES + 1):
        try:
            return session.run(statement, parameters).data()
        except Neo4jError as error:
            # Two starts make the same constraint or counter at once: the loser of that race only has to look again.
            if attempt == TRIES or not (error.is_retryable() or _lost_race(error)):
                raise
            time.sleep(0.1 * attempt)
    raise AssertionError("unreachable")


def _lost_race(error: Neo4jError) -> bool:
    return isinstance(error, ClientError) and str(error.code).startswith("Neo.ClientError.Schema.")
