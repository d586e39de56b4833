"""When the disk is full: growth of each kind until its limits, and the free room."""

import math
from datetime import UTC, datetime, timedelta

import pytest

from skywatch.console.overview.disk_space import Growth, growth_of, look_ahead
from skywatch.core.storage.retention import Extent

NOW = datetime(2026, 11, 24, tzinfo=UTC)
MB = 1_000_000


def stored(megabytes, days):
    return Extent(1000, megabytes * MB, NOW - timedelta(days=days))


@pytest.mark.parametrize(
    ("days", "megabytes", "remaining"),
    [(0, 0, math.inf), (30, 0, 200 * MB), (0, 150, 50 * MB), (30, 150, 50 * MB), (5, 0, 0.0)],
    ids=["no limit", "by age", "by size", "the nearer one", "reached"],
)
def test_a_kind_grows_until_the_nearest_of_its_limits(days, megabytes, remaining):
    growth = growth_of(stored(100, 10), days, megabytes, NOW)
    assert growth.daily == pytest.approx(10 * MB)
    assert growth.remaining == pytest.approx(remaining)


def test_too_little_says_nothing_of_the_days_to_come():
    assert growth_of(Extent(0, 0, None), 30, 0, NOW) is None
    assert growth_of(stored(100, 0.1), 30, 0, NOW) is None


def test_without_limits_the_free_room_lasts_as_long_as_the_growth_leaves_it():
    outlook = look_ahead(100 * MB, 300 * MB, [Growth(10 * MB, math.inf), Growth(20 * MB, math.inf)])
    assert outlook.days == pytest.approx(10)
    assert outlook.daily == pytest.approx(30 * MB)
    assert not outlook.is_endless


def test_a_kind_that_reaches_its_limit_grows_no_more():
    growths = [Growth(20 * MB, 40 * MB), Growth(10 * MB, math.inf)]
    # Two days of both, then one alone: 60 MB, and 240 MB at 10 MB a day.
    assert look_ahead(0, 300 * MB, growths).days == pytest.approx(26)
    assert look_ahead(0, 45 * MB, growths).days == pytest.approx(1.5)


def test_limits_that_fit_into_the_room_never_fill_it():
    outlook = look_ahead(100 * MB, 300 * MB, [Growth(10 * MB, 250 * MB)])
    assert (outlook.is_endless, outlook.final) == (True, 350 * MB)
    # The limit of the whole database counts where those of the kinds are none.
    outlook = look_ahead(100 * MB, 300 * MB, [Growth(10 * MB, math.inf)], limit=400 * MB)
    assert (outlook.is_endless, outlook.final) == (True, 400 * MB)
    assert not look_ahead(100 * MB, 200 * MB, [Growth(10 * MB, math.inf)], limit=400 * MB).is_endless


def test_what_does_not_grow_fills_nothing():
    assert look_ahead(100 * MB, 300 * MB, []).final == 100 * MB
    assert look_ahead(100 * MB, 300 * MB, [Growth(0.0, math.inf)]).is_endless


def test_slow_growth_is_not_given_a_date():
    outlook = look_ahead(0, 10**12, [Growth(1.0, math.inf)])
    assert (outlook.is_endless, outlook.final) == (True, None)
