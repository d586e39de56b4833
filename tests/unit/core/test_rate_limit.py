"""The token bucket."""

from __future__ import annotations

from skywatch.core.rate_limit import RateLimit


def test_a_burst_passes_and_then_the_rate():
    limit = RateLimit(10)
    assert [limit.take(0.0) for _ in range(21)].count(True) == 20
    assert not limit.take(0.05)
    assert limit.take(0.2)


def test_a_pause_earns_no_more_than_one_burst():
    limit = RateLimit(10)
    assert limit.take(0.0)
    assert [limit.take(3600.0) for _ in range(25)].count(True) == 20
