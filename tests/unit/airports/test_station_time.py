"""The station's own time: its zone, its days and its nights."""

from __future__ import annotations

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from skywatch.airports.station_time import is_night, local_minutes, midnight, station_zone
from skywatch.features import load
from skywatch.settings import SettingsError

_DEVELOPMENT = {"environment": "development"}


def test_station_zone_is_the_one_that_is_set_else_of_the_nearest_airport() -> None:
    zurich = {"station_lat": "47.46", "station_lon": "8.55"}
    assert station_zone(load(_DEVELOPMENT)).key == "UTC"
    assert station_zone(load(_DEVELOPMENT | zurich)).key == "Europe/Zurich"
    assert (
        station_zone(load(_DEVELOPMENT | zurich | {"station_timezone": "America/New_York"})).key == "America/New_York"
    )


@pytest.mark.parametrize(
    ("name", "value"), [("station_timezone", "Mars/Base"), ("night_from", "25:00"), ("night_to", "6")]
)
def test_wrong_time_settings_are_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=name):
        load(_DEVELOPMENT | {name: value})


def test_days_and_minutes_follow_the_change_of_the_clocks() -> None:
    zone = ZoneInfo("Europe/Zurich")
    moments = [datetime(2026, 3, 29, 0, 59, tzinfo=UTC), datetime(2026, 3, 29, 1, 0, tzinfo=UTC)]
    days, minutes = local_minutes(np.array([at.timestamp() for at in moments]), zone)
    assert days.astype(str).tolist() == ["2026-03-29"] * 2
    assert minutes.tolist() == [119, 180]
    assert midnight(date(2026, 7, 1), zone).astimezone(UTC) == datetime(2026, 6, 30, 22, tzinfo=UTC)


def test_night_reaches_over_midnight_and_excludes_its_end() -> None:
    minutes = np.array([21 * 60 + 59, 22 * 60, 0, 5 * 60 + 59, 6 * 60])
    assert is_night(minutes, load(_DEVELOPMENT)).tolist() == [False, True, True, True, False]
    assert is_night(minutes, load(_DEVELOPMENT | {"night_from": "00:00", "night_to": "00:00"})).tolist() == [False] * 5
