"""The settings of the live air picture."""

from __future__ import annotations

import dataclasses
import math
from typing import Literal

from skywatch.core.text.names import all_shown
from skywatch.settings import Settings, SettingsError, setting

MAX_NAME = 64
Accuracy = Literal["exact", "1km", "10km", "none"]
# Digits of degrees; 0.01 degree of latitude is 1.1 km. None: the place is not shown at all.
_DIGITS: dict[str, int | None] = {"exact": 12, "1km": 2, "10km": 1, "none": None}
_NM_A_DEGREE = 60.04


def _name(text: str) -> str:
    if len(text) > MAX_NAME or not all_shown(text):
        raise ValueError(f"expected at most {MAX_NAME} printable characters")
    return text


@dataclasses.dataclass(frozen=True, kw_only=True)
class PictureSettings(Settings):
    """The settings of the live air picture."""

    station_lat: float | None = setting(
        None, "latitude of the antenna (degrees); also the origin of distances", minimum=-90, maximum=90, stored=True
    )
    station_lon: float | None = setting(
        None, "longitude of the antenna (degrees)", minimum=-180, maximum=180, stored=True
    )
    station_name: str = setting(
        "", "name of the station, as people know it (at most 64 characters)", parse=_name, published=True, stored=True
    )
    station_accuracy: Accuracy = setting(
        "1km",
        "how exactly others may know where the antenna is, and distances and bearings from it: exact, 1km, 10km or"
        " none; holders of system.manage and clients on this machine know it exactly",
        stored=True,
    )
    picture_timeout_s: float = setting(
        60.0,
        "an aircraft leaves the picture this long after its last message (s)",
        minimum=5,
        maximum=3600,
        published=True,
    )
    picture_max_aircraft: int = setting(
        20_000,
        "most aircraft in the picture; beyond it, new ones are dropped and counted, unless ours hear them and only"
        " strangers others, they are received clearly more often, or their receiver or owner has fewer than its share",
        minimum=100,
        maximum=1_000_000,
    )
    picture_save_s: float = setting(
        10.0, "how often the picture is saved for a restart (s; 0: never)", minimum=0, maximum=3600
    )

    @property
    def station(self) -> tuple[float, float] | None:
        """Latitude and longitude of the antenna, None where it is not known."""
        if self.station_lat is None or self.station_lon is None:
            return None
        return self.station_lat, self.station_lon

    @property
    def shown_station(self) -> tuple[float, float] | None:
        """The place that everybody may know, from which everybody's distances are."""
        return None if self.station is None else self.shown(self.station)

    def shown(self, place: tuple[float, float]) -> tuple[float, float] | None:
        """The place of an antenna as everybody may know it; None where they may know nothing of it."""
        digits = _DIGITS[self.station_accuracy]
        if digits is None:
            return None
        lat, lon = (round(degrees, digits) for degrees in place)
        return lat, lon

    @property
    def rough_station(self) -> tuple[tuple[float, float], float] | None:
        """The middle of what everybody may read, and how far (nm) the antenna is from it at most.

        Where they may know nothing of the antenna it is a crossing of whole degrees.
        """
        if self.station is None:
            return None
        digits = _DIGITS[self.station_accuracy] or 0
        lat, lon = (round(degrees, digits) for degrees in self.station)
        return (lat, lon), math.sqrt(0.5) * 10.0**-digits * _NM_A_DEGREE

    def station_for(self, *, exact: bool) -> tuple[float, float] | None:
        """The place as a caller may know it."""
        return self.station if exact else self.shown_station

    def check(self) -> None:
        """A position has two coordinates."""
        if (self.station_lat is None) != (self.station_lon is None):
            missing = "station_lat" if self.station_lat is None else "station_lon"
            raise SettingsError(missing, "station_lat and station_lon belong together; one is missing")
