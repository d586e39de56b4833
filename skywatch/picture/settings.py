"""The settings of the live air picture."""

from __future__ import annotations

import dataclasses

from skywatch.settings import Settings, SettingsError, setting

LONGEST_NAME = 64


def _name(text: str) -> str:
    if len(text) > LONGEST_NAME or not text.isprintable():
        raise ValueError(f"expected at most {LONGEST_NAME} printable characters")
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
    picture_timeout_s: float = setting(
        60.0,
        "an aircraft leaves the picture this long after its last message (s)",
        minimum=5,
        maximum=3600,
        published=True,
    )
    picture_max_aircraft: int = setting(
        20_000,
        "most aircraft in the picture; beyond it, new ones are dropped and counted, unless they are received clearly"
        " more often than others, or their receiver has fewer than its share",
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

    def check(self) -> None:
        """A position has two coordinates."""
        if (self.station_lat is None) != (self.station_lon is None):
            missing = "station_lat" if self.station_lat is None else "station_lon"
            raise SettingsError(missing, "station_lat and station_lon belong together; one is missing")
