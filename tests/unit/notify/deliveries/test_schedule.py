"""Retries: how long after each failure, and until when."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from skywatch.notify.deliveries.schedule import expiry, next_attempt, pause_s

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(("attempts", "plain"), [(1, 5), (2, 30), (3, 300), (4, 1800), (5, 3600), (40, 3600)])
def test_pauses_grow_with_at_most_a_fifth_of_jitter(attempts, plain):
    random.seed(1)
    pauses = [pause_s(attempts) for _ in range(200)]
    assert plain <= min(pauses) < max(pauses) <= plain * 1.2


def test_a_longer_pause_that_the_receiver_asks_for_is_honoured_within_reason():
    expires = NOON + timedelta(days=3)
    assert next_attempt(1, NOON, expires, 120.0) == NOON + timedelta(seconds=120)
    assert next_attempt(1, NOON, expires, 1e9) == NOON + timedelta(hours=6)
    assert next_attempt(4, NOON, expires, 1.0) >= NOON + timedelta(minutes=30)


@pytest.mark.parametrize(("priority", "patience"), [("info", 6), ("warning", 6), ("critical", 72)])
def test_failures_are_given_up_after_six_hours_or_three_days(priority, patience):
    expires = expiry(priority, NOON)
    assert expires == NOON + timedelta(hours=patience)
    assert next_attempt(9, expires - timedelta(minutes=1), expires, None) == expires  # one more when the time is up
    assert next_attempt(9, expires, expires, None) is None
