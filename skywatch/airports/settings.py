"""The settings of airports, and of the station's own time."""

from __future__ import annotations

import dataclasses
import re
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from skywatch.settings import RETENTION_DAYS, Settings, setting

_TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")


def _timezone(text: str) -> str:
    try:
        ZoneInfo(text or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"{text} is not a time zone, such as Europe/Zurich") from None
    return text


def _time_of_day(text: str) -> str:
    if not _TIME.fullmatch(text):
        raise ValueError(f"{text} is not a time of day, such as 22:00")
    return text


@dataclasses.dataclass(frozen=True, kw_only=True)
class AirportSettings(Settings):
    """The settings of airports, and of the station's own time."""

    retention_movements_days: float = setting(
        730.0, "retention of movements at airports (days; 0: unlimited)", **RETENTION_DAYS
    )
    station_timezone: str = setting(
        "",
        "time zone of the station, by which days, hours and nights are counted, such as Europe/Zurich; empty: that of"
        " the nearest airport",
        parse=_timezone,
    )
    night_from: str = setting("22:00", "begin of the night at the station (HH:MM)", parse=_time_of_day)
    night_to: str = setting("06:00", "end of the night at the station (HH:MM)", parse=_time_of_day)
