"""What a person may say for a time: a date, a moment, or how long ago."""

import re
from datetime import UTC, datetime, timedelta

from dreamhook.times import timestamp

UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def since(text: str) -> str:
    """UTC, in the form of Event.timestamp. A date or time without a zone is this machine's. Else ValueError."""
    ago = re.fullmatch(r"(\d{1,6})([mhdw])", text)
    if ago:
        moment = datetime.now(UTC) - timedelta(**{UNITS[ago[2]]: int(ago[1])})
    else:
        try:
            moment = datetime.fromisoformat(text).astimezone()
        except ValueError as error:
            raise ValueError(
                f"--since {text!r} is no time: say 2026-11-29, 90m, 3h or 2d"
            ) from error
    return timestamp(moment)
