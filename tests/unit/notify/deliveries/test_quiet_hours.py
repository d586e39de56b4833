"""Quiet hours: over midnight, by the day on which they begin, and in the nights in which clocks change."""

from datetime import UTC, datetime, time

import pytest

from skywatch.notify.deliveries.quiet_hours import QuietWindow, end_of_quiet


def window(begin, end, zone="UTC", days=()):
    return (QuietWindow(time.fromisoformat(begin), time.fromisoformat(end), zone, frozenset(days)),)


def at(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "end"),
    [
        ("2026-01-14T21:59:59", None),
        ("2026-01-14T22:00:00", "2026-01-15T06:00:00"),
        ("2026-01-15T02:00:00", "2026-01-15T06:00:00"),
        ("2026-01-15T06:00:00", None),
    ],
)
def test_a_window_over_midnight_is_one_window(now, end):
    assert end_of_quiet(window("22:00", "06:00"), at(now)) == (end and at(end))


def test_a_window_belongs_to_the_day_on_which_it_begins():
    friday = window("22:00", "06:00", days=["fri"])
    assert end_of_quiet(friday, at("2026-01-17T05:00:00")) == at("2026-01-17T06:00:00")  # Saturday morning
    assert end_of_quiet(friday, at("2026-01-16T05:00:00")) is None  # Friday morning belongs to Thursday
    assert end_of_quiet(friday, at("2026-01-17T23:00:00")) is None


@pytest.mark.parametrize(
    ("now", "end"),
    [
        # Clocks go forward at 02:00 (01:00 UTC) on 2026-03-29: the night is an hour shorter.
        ("2026-03-28T21:30:00", "2026-03-29T04:00:00"),
        # Clocks go back at 03:00 (01:00 UTC) on 2026-10-25: the night is an hour longer.
        ("2026-10-24T20:30:00", "2026-10-25T05:00:00"),
    ],
)
def test_a_night_in_which_clocks_change_ends_by_the_wall_clock(now, end):
    assert end_of_quiet(window("22:00", "06:00", "Europe/Zurich"), at(now)) == at(end)


def test_a_skipped_time_counts_an_hour_later_and_a_repeated_one_the_first_time():
    assert end_of_quiet(window("22:00", "02:30", "Europe/Zurich"), at("2026-03-28T23:00:00")) == at(
        "2026-03-29T01:30:00"
    )
    assert end_of_quiet(window("22:00", "02:30", "Europe/Zurich"), at("2026-10-24T23:00:00")) == at(
        "2026-10-25T00:30:00"
    )


def test_windows_that_touch_are_one_quiet():
    windows = window("22:00", "00:00") + window("00:00", "07:00")
    assert end_of_quiet(windows, at("2026-01-14T23:00:00")) == at("2026-01-15T07:00:00")


def test_equal_begin_and_end_is_the_whole_day_and_always_quiet_ends_after_8_days():
    assert end_of_quiet(window("06:00", "06:00", days=["wed"]), at("2026-01-14T07:00:00")) == at("2026-01-15T06:00:00")
    assert end_of_quiet(window("06:00", "06:00"), at("2026-01-14T07:00:00")) == at("2026-01-22T07:00:00")
