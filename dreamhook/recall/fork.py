"""Which conversation a forked one continues: its text is in the fork, so what was given there counts as given here."""

from datetime import UTC, datetime, timedelta

from dreamhook.harness.origin import Origin
from dreamhook.recall.search import NOBODY, Conversation
from dreamhook.store.query import Store
from dreamhook.times import timestamp

BEFORE_S, AFTER_S = 2, 5
"""A harness gives whole seconds, and a turn's end is recorded a moment after its last answer."""


def parent(store: Store, fork: Conversation, origin: Origin, folder: str) -> Conversation | None:
    """The conversation with this origin; NOBODY when it is none that was ever told; None when nothing is known."""
    if origin.session_id:
        return Conversation(fork.client, origin.session_id)
    if origin.answered_s_ago is None:
        return None
    answered = datetime.now(UTC) - timedelta(seconds=origin.answered_s_ago)
    parameters = {
        "client": fork.client,
        "cwd": folder,
        "not_this": fork.session_id,
        "since": timestamp(answered - timedelta(seconds=BEFORE_S)),
        "until": timestamp(answered + timedelta(seconds=AFTER_S)),
    }
    rows = store.ask("recall_parent", parameters)
    return Conversation(fork.client, rows[0]["session_id"]) if rows else NOBODY
