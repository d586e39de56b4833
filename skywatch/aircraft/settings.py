"""The settings of live aircraft."""

from __future__ import annotations

import dataclasses

from skywatch.settings import Settings, setting


@dataclasses.dataclass(frozen=True, kw_only=True)
class AircraftSettings(Settings):
    """The settings of live aircraft."""

    airspace_file: str = setting(
        "",
        "file with airspaces for the map, as GeoJSON (.geojson, .json) or OpenAir (any other name); at most 8 MB, "
        "2,000 airspaces and 100,000 positions; it is read at the start, and used in place of one that was uploaded in "
        "the console",
    )
