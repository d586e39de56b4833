"""Times from counters: forward, a little back, reset, and the two ways of counting."""

from __future__ import annotations

import numpy as np
import pytest

from skywatch.receivers.framing.beast import MLAT_TICKS
from skywatch.receivers.framing.clock import CounterClock

SECOND = 12_000_000


def test_time_begins_at_the_start_and_goes_on_over_batches():
    clock = CounterClock(1000.0)
    assert clock.times(np.array([5 * SECOND, 6 * SECOND])).tolist() == [1000.0, 1001.0]
    assert clock.times(np.array([8 * SECOND])).tolist() == [1003.0]


def test_small_steps_back_are_kept():
    clock = CounterClock()
    times = clock.times(np.array([10 * SECOND, 11 * SECOND, 10 * SECOND + SECOND // 2, 12 * SECOND]))
    assert times.tolist() == pytest.approx([0.0, 1.0, 0.5, 2.0])


def test_frames_without_a_counter_have_the_time_of_the_one_before():
    clock = CounterClock(50.0)
    assert clock.times(np.array([0, -1])).tolist() == [50.0, 50.0]
    times = clock.times(np.array([0, SECOND, MLAT_TICKS, 3 * SECOND, 0]))
    assert times.tolist() == [50.0, 50.0, 50.0, 52.0, 52.0]


def test_a_counter_that_was_reset_does_not_move_time():
    clock = CounterClock()
    times = clock.times(np.array([900 * SECOND, 901 * SECOND, 2 * SECOND, 3 * SECOND]))
    assert times.tolist() == pytest.approx([0.0, 1.0, 1.0, 2.0])
    assert clock.times(np.array([4 * SECOND])).tolist() == pytest.approx([3.0])


def test_a_leap_ahead_does_not_move_time():
    clock = CounterClock()
    assert clock.times(np.array([SECOND, 90_000 * SECOND, 90_001 * SECOND])).tolist() == pytest.approx([0, 0, 1])


def gps(second_of_day: int, nanoseconds: int) -> int:
    return second_of_day << 30 | nanoseconds


def test_radarcape_counts_seconds_and_nanoseconds_of_the_day():
    clock = CounterClock(100.0, "gps")
    times = clock.times(np.array([gps(86_398, 500_000_000), gps(86_399, 0), gps(0, 250_000_000)]))
    assert times.tolist() == pytest.approx([100.0, 100.5, 101.75])
    assert clock.times(np.array([gps(10, 0), gps(9, 900_000_000)])).tolist() == pytest.approx([111.5, 111.4])


def test_frames_out_of_order_around_midnight():
    clock = CounterClock(0.0, "gps")
    times = clock.times(np.array([gps(86_399, 0), gps(0, 1), gps(86_399, 500_000_000), gps(1, 0)]))
    assert times.tolist() == pytest.approx([0.0, 1.0, 0.5, 2.0])
