"""The pause that a receiver of webhooks asks for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from skywatch.core.network.http_client import Answer
from skywatch.notify.senders.webhook import retry_after_s


def pause(text):
    return retry_after_s(Answer(503, {"retry-after": text}, b""))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("120", 120.0), (" 5 ", 5.0), ("", None), ("soon", None), ("-5", None), ("9" * 30, None), ("²", None)],
)
def test_seconds(text, seconds):
    assert pause(text) == seconds


@pytest.mark.parametrize(("ahead_s", "seconds"), [(3600, 3600.0), (-3600, 0.0)])
def test_a_date_is_a_pause_until_then_and_none_where_it_is_over(ahead_s, seconds):
    at = datetime.now(UTC) + timedelta(seconds=ahead_s)
    assert pause(format_datetime(at, usegmt=True)) == pytest.approx(seconds, abs=5)
