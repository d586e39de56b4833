"""The token bucket."""

from __future__ import annotations

from skywatch.core.network.rate_limit import RateLimit


def test_a_burst_passes_and_then_the_rate():
    limit = RateLimit(10)
    assert [limit.take(0.0) for _ in range(21)].count(True) == 20
    assert not limit.take(0.05)
    assert limit.take(0.2)


def test_a_pause_earns_no_more_than_one_burst():
    limit = RateLimit(10)
    assert limit.take(0.0)
    assert [limit.take(3600.0) for _ in range(25)].count(True) == 20


def test_what_has_happened_already_is_made_up_for_later():
    limit = RateLimit(10)
    assert limit.spend(20, 0.0) == 0.0
    assert limit.spend(5, 0.0) == 0.5
    assert limit.spend(1, 0.5) == 0.1
    # A pause earns no more than one burst.
    assert limit.spend(25, 3600.0) == 0.5
