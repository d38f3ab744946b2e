"""Which sessions a dream is about: not those still at work, and only those a person asked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from dreamhook.times import timestamp

AHEAD = timedelta(minutes=5)
"""A clock further ahead than this says nothing about now."""


@dataclass(frozen=True)
class Choice:
    """`idle_from` < last event <= `idle_to`, and not ended: still running. ISO 8601, UTC; both empty with `--now`."""

    idle_from: str = ""
    idle_to: str = ""
    since: str = ""
    session: str = ""
    """The beginning of the only session id wanted."""

    def window(self) -> dict[str, str]:
        return {"idle_from": self.idle_from, "idle_to": self.idle_to}

    def why_not(self, row: Mapping[str, Any]) -> str:
        """Why the session of this row is left for a later dream; empty: it is not. `row`: session_id, open_at, last."""
        if self.idle_from < (row["open_at"] or "") <= self.idle_to:
            return "still running"
        if not row["session_id"].startswith(self.session):
            return "left out by --session"
        if (row["last"] or "") < self.since:
            return "left out by --since"
        return ""


def choice(*, now: bool, idle_minutes: float, since: str = "", session: str = "") -> Choice:
    """`now`: running sessions too. A session that a person names is wanted though it runs."""
    if now or session:
        return Choice(since=since, session=session)
    moment = datetime.now(UTC)
    idle = moment - timedelta(minutes=idle_minutes)
    return Choice(timestamp(idle), timestamp(moment + AHEAD), since, session)
