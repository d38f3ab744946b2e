"""Moments in the store are compared as texts."""

import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dreamhook import paths
from dreamhook.times import timestamp

ZONES = st.integers(-12, 14).map(lambda hours: timezone(timedelta(hours=hours)))
MOMENTS = st.datetimes(datetime(2000, 1, 2), datetime(2100, 1, 1), timezones=ZONES)


@given(MOMENTS, MOMENTS)
def test_their_order_as_text_is_their_order_in_time(one, other):
    assert (timestamp(one) < timestamp(other)) == (one < other)
    assert datetime.fromisoformat(timestamp(one)) == one


def test_a_whole_second_has_its_microseconds_too():
    assert timestamp(datetime(2026, 11, 29, 10, tzinfo=UTC)) == "2026-11-29T10:00:00.000000+00:00"


def test_no_other_module_writes_a_moment_in_a_form_of_its_own():
    sources = [
        file for part in ("dreamhook", "dream") for file in Path(paths.ROOT, part).rglob("*.py")
    ]
    own = {
        file.name
        for file in sources
        if re.search(r"timespec=|now\(UTC\)\.isoformat", file.read_text("utf-8"))
    }
    assert own == {"times.py"}
