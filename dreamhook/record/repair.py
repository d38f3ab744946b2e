"""Finds sessions whose list is broken, and links their events again in the order of their seq. Loses none."""

from typing import Any, NamedTuple

from neo4j import ManagedTransaction

from cypher import statement
from dreamhook.store.query import Store
from dreamhook.times import now

PAGE = 5_000


class Broken(NamedTuple):
    """A session's list that is not one line, and what was counted."""

    client: str
    session_id: str
    heads: int
    ends: int
    forks: int
    events: int
    event_count: int


def broken(store: Store, limit: int = 1000) -> list[Broken]:
    """Sessions to repair. One pass over all events, a few seconds for a million."""
    found = [Broken(**record.data()) for record in store.read("doctor_lists", limit=limit)]
    return list({(one.client, one.session_id): one for one in reversed(found)}.values())


def repair(store: Store, one: Broken) -> tuple[int, int]:
    """(links removed, links made). Page by page, for a store bounds a transaction's memory; safe to break off.

    What is appended between two pages may need another repair: ask `broken` again.
    """
    key = {"client": one.client, "session_id": one.session_id}
    removed = made = after = 0
    with store.session() as session:
        while True:
            page = session.execute_write(_page, key | {"after": after})
            removed, made = removed + page["removed"], made + page["made"]
            if page["events"] < PAGE:
                break
            after = page["last"]
        session.execute_write(_hold, key)
    return removed, made


def _page(transaction: ManagedTransaction, parameters: dict[str, Any]) -> dict[str, int]:
    return (
        transaction.run(statement("doctor_relink"), parameters, limit=PAGE, now=now())
        .single(strict=True)
        .data()
    )


def _hold(transaction: ManagedTransaction, key: dict[str, Any]) -> None:
    transaction.run(statement("doctor_hold"), key, now=now()).consume()
