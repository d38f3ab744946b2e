"""The one form of a moment in the store: ISO 8601 in UTC with microseconds, so that order as text is order in time."""

from datetime import UTC, datetime


def now() -> str:
    return timestamp(datetime.now(UTC))


def timestamp(moment: datetime) -> str:
    """Of a moment with a zone."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
