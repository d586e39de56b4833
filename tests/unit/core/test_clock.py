"""Times are written as ISO 8601 in UTC with ``Z``."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from skywatch.core.clock import to_iso


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (datetime(2026, 1, 31, 12, 0, 5, tzinfo=UTC), "2026-01-31T12:00:05Z"),
        (datetime(2026, 1, 31, 12, 0, 5, 120_000, UTC), "2026-01-31T12:00:05.120Z"),
        (datetime(2026, 1, 31, 12, 0, 5, 999_999, UTC), "2026-01-31T12:00:05.999Z"),
        (datetime(2026, 1, 31, 12, 0, 5, 7, UTC), "2026-01-31T12:00:05.000Z"),
        (datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00Z"),
        (datetime(2026, 1, 1, 1, tzinfo=timezone(timedelta(hours=2, minutes=30))), "2025-12-31T22:30:00Z"),
    ],
)
def test_a_time_has_milliseconds_only_where_it_has_a_fraction(at, text):
    assert to_iso(at) == text
