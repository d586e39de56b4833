"""The time at the station: its zone, its days and its nights."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np

from skywatch.airports.directory import Column, directory
from skywatch.airports.settings import AirportSettings
from skywatch.picture.settings import PictureSettings
from skywatch.settings import Settings

_DAY_MINUTES = 24 * 60


def station_zone(settings: Settings) -> ZoneInfo:
    """The time zone of the station: the one that is set, else that of the nearest airport, else UTC."""
    name: str | None = settings.of(AirportSettings).station_timezone
    station = settings.of(PictureSettings).station
    if not name and station is not None:
        name = directory().timezone_at(*station)
    return ZoneInfo(name or "UTC")


def midnight(day: date, zone: ZoneInfo) -> datetime:
    """The begin of a day of a zone."""
    return datetime(day.year, day.month, day.day, tzinfo=zone)


def local_minutes(at: Column, zone: ZoneInfo) -> tuple[Column, Column]:
    """The local day M8[D] and the minute of the day of unix times."""
    if not len(at):
        return np.empty(0, "M8[D]"), np.empty(0, "i8")
    # The offset changes with hours at most, and those of some quarters of an hour are few.
    quarters, index = np.unique(np.floor(at / 900.0).astype("i8"), return_inverse=True)
    offsets = np.array(
        [(datetime.fromtimestamp(q * 900, zone).utcoffset() or timedelta()).total_seconds() for q in quarters.tolist()]
    )
    local = np.floor(at + offsets[index]).astype("i8")
    return (local // 86_400).astype("M8[D]"), local % 86_400 // 60


def is_night(minutes: Column, settings: Settings) -> Column:
    """Whether minutes of the day lie in the night; one that begins when it ends never is."""
    own = settings.of(AirportSettings)
    begin, end = (int(text[:2]) * 60 + int(text[3:]) for text in (own.night_from, own.night_to))
    night: Column = (minutes - begin) % _DAY_MINUTES < (end - begin) % _DAY_MINUTES
    return night
