"""How the dream stands, for `status`: the last one and its cost, what a day has cost, what waits, what is parked."""

from datetime import UTC, datetime
from typing import Any

from dreamhook.store.query import Store


def summary(store: Store, person: str) -> dict[str, Any]:
    """`last` (id, started_at, status, error, model, tokens; None before the first), `tokens_today`, `proposed`,
    `in_batches` and `parked` (client, session_id, repository, name, state, why). Raises the driver's errors."""

    def rows(which: str, **parameters: Any) -> list[dict[str, Any]]:
        return [record.data() for record in store.read(which, person=person, **parameters)]

    last = rows("dream_log", start="", limit=1)
    dream = last[0]["dream"] if last else None
    return {
        "last": dream
        and {
            name: dream.get(name)
            for name in ("id", "started_at", "status", "error", "model", "backend")
        }
        | {"tokens": (dream.get("input_tokens") or 0) + (dream.get("output_tokens") or 0)},
        "tokens_today": rows("dream_spent", since=datetime.now(UTC).date().isoformat())[0][
            "tokens"
        ],
        "proposed": len(rows("dream_proposals")),
        "in_batches": len(rows("dream_requests")),
        "parked": rows("dream_parked", states=["parked"]),
    }
