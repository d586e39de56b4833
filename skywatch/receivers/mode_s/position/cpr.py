"""Compact Position Reporting: from 17-bit fractions of a zone to latitude and longitude.

DO-260B appendix A, 1.7; ICAO Doc 9871, C.2.6; "The 1090 Megahertz Riddle", chapters "Airborne position" and
"Surface position". The formulas use operators only, so that the same text serves floats (aircraft whose history has
to be walked through) and NumPy columns (all the others); both give the same bits.

``surface`` positions have zones of a quarter of the size. Parity ``odd`` is 0 or 1. ``lat_code`` and ``lon_code``
are the 17-bit fields.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import Any

import numpy as np

FRACTIONS = 131072.0  # 2**17
EVEN_ZONES, ODD_ZONES = 60, 59


def _transition_latitudes() -> list[float]:
    """Latitudes (deg, ascending) at which the number of longitude zones falls by one: from 59 to 58, ... 2 to 1."""
    zone_term = 1 - math.cos(math.pi / 30)
    inner = [
        math.degrees(math.acos(math.sqrt(zone_term / (1 - math.cos(2 * math.pi / zones)))))
        for zones in range(59, 2, -1)
    ]
    return [*inner, 87.0]


_TRANSITIONS = _transition_latitudes()
_TRANSITIONS_COLUMN = np.array(_TRANSITIONS)


def longitude_zones(lat: Any) -> Any:
    """NL: how many longitude zones there are at a latitude, 1 to 59."""
    if isinstance(lat, float):
        return 59 - bisect_left(_TRANSITIONS, abs(lat))
    return 59 - _TRANSITIONS_COLUMN.searchsorted(np.abs(lat))


def wrap_longitude(lon: Any) -> Any:
    """The same longitude from -180 (inclusive) to 180 (exclusive)."""
    return (lon + 180.0) % 360.0 - 180.0


def global_latitudes(even_code: Any, odd_code: Any, circle: float) -> tuple[Any, Any]:
    """Latitudes of an even and an odd frame of about the same moment; ``circle`` is 360, for the surface 90 deg.

    Airborne: from -90 to 270, where more than 90 means that the frames do not belong together. Surface: the
    solution from 0 to 90, the other one is 90 less.
    """
    even, odd = even_code / FRACTIONS, odd_code / FRACTIONS
    zone = (59.0 * even - 60.0 * odd + 0.5) // 1.0
    lat_even = circle / EVEN_ZONES * (zone % 60.0 + even)
    lat_odd = circle / ODD_ZONES * (zone % 59.0 + odd)
    if circle == 360.0:
        lat_even, lat_odd = lat_even - 360.0 * (lat_even >= 270.0), lat_odd - 360.0 * (lat_odd >= 270.0)
    return lat_even, lat_odd


def global_longitude(even_code: Any, odd_code: Any, odd: Any, zones: Any, circle: float) -> Any:
    """Longitude of the frame with parity ``odd`` of a pair, from 0 to ``circle``.

    ``zones`` is the number of longitude zones, the same at both latitudes of the pair.
    """
    even_part, odd_part = even_code / FRACTIONS, odd_code / FRACTIONS
    zone = (even_part * (zones - 1.0) - odd_part * zones + 0.5) // 1.0
    count = zones - odd
    count = count + (count < 1)
    own_part = even_part + (odd_part - even_part) * odd
    return circle / count * (zone % count + own_part)


def positions_of_pairs(
    lat_code: Any, lon_code: Any, odd: Any, partner_lat_code: Any, partner_lon_code: Any
) -> tuple[Any, Any, Any]:
    """Airborne positions of frames and their partners of the other parity, as columns.

    Latitude, longitude, and whether the frames can belong together; else the position means nothing.
    """
    is_odd = odd.astype(np.bool_)
    lat_even, lat_odd = global_latitudes(
        np.where(is_odd, partner_lat_code, lat_code), np.where(is_odd, lat_code, partner_lat_code), 360.0
    )
    zones = longitude_zones(lat_even)
    is_pair = (np.abs(lat_even) <= 90.0) & (np.abs(lat_odd) <= 90.0) & (longitude_zones(lat_odd) == zones)
    lon = global_longitude(
        np.where(is_odd, partner_lon_code, lon_code), np.where(is_odd, lon_code, partner_lon_code), odd, zones, 360.0
    )
    return np.where(is_odd, lat_odd, lat_even), wrap_longitude(lon), is_pair


def local_position(
    lat_code: Any, lon_code: Any, odd: Any, reference_lat: Any, reference_lon: Any, circle: float
) -> tuple[Any, Any]:
    """The position nearest to a reference that a single frame can mean; right within half a zone of it.

    Half a zone is 180 nm, on the surface 45 nm. A latitude beyond a pole means that there is none.
    """
    lat_part, lon_part = lat_code / FRACTIONS, lon_code / FRACTIONS
    lat_size = circle / (EVEN_ZONES - odd)
    lat = lat_size * ((reference_lat / lat_size - lat_part + 0.5) // 1.0 + lat_part)
    count = longitude_zones(lat) - odd
    lon_size = circle / (count + (count < 1))
    lon = lon_size * ((reference_lon / lon_size - lon_part + 0.5) // 1.0 + lon_part)
    return lat, wrap_longitude(lon)


def encode(lat: float, lon: float, odd: int, circle: float = 360.0) -> tuple[int, int]:
    """The 17-bit latitude and longitude fields of a position (DO-260B appendix A, 1.7.3)."""
    lat_size = circle / (EVEN_ZONES - odd)
    lat_part = math.floor(FRACTIONS * (lat % lat_size) / lat_size + 0.5)
    # The number of zones is that at the latitude which a receiver will decode.
    decoded_lat = lat_size * (lat_part / FRACTIONS + math.floor(lat / lat_size))
    lon_size = circle / max(int(longitude_zones(decoded_lat)) - odd, 1)
    lon_part = math.floor(FRACTIONS * (lon % lon_size) / lon_size + 0.5)
    return lat_part % int(FRACTIONS), lon_part % int(FRACTIONS)
