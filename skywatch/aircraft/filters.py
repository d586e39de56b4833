"""Which aircraft of a sky a query asks for, and in which order: pure functions over columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.core import geo
from skywatch.picture.state.sky import Sky

Mask = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]

# Query field -> column, for the fields that compare text; a trailing * matches what begins so.
TEXT_FILTERS = {"callsign": "flight", "registration": "registration", "type": "type"}
EXACT_FILTERS = {"squawk": "squawk", "category": "category"}
FLAG_FILTERS = ("military", "emergency", "on_ground")
# Sort key -> column; the altitude is that of the filters. Aircraft without a value come last in either direction.
SORT_KEYS = {
    "hex": None,
    "callsign": "flight",
    "registration": "registration",
    "type": "type",
    "squawk": "squawk",
    "altitude": None,
    "speed": "gs_kt",
    "vertical_rate": "baro_rate_fpm",
    "distance": "distance_nm",
    "first_seen": "first_seen",
    "seen": "seen_at",
    "messages": "messages",
}


def select(sky: Sky, query: Mapping[str, Any], *, military: bool) -> Mask:
    """The aircraft that match every filter of ``query``; without ``military`` none of the military ones."""
    mask = np.ones(len(sky), dtype=bool) if military else ~sky.column("military")
    for name, apply in _FILTERS.items():
        value = query.get(name)
        if value is not None:
            mask &= apply(sky, value)
    if query.get("radius_nm") is not None:
        mask &= distances(sky, query["lat"], query["lon"]) <= query["radius_nm"]
    return mask


def distances(sky: Sky, lat: float, lon: float) -> npt.NDArray[np.float64]:
    """Distance of every aircraft from a point (nm); NaN where it has no position."""
    result: npt.NDArray[np.float64] = geo.distance_nm(lat, lon, sky.column("lat"), sky.column("lon"))
    return result


def ordered(sky: Sky, mask: Mask, sort: str) -> Rows:
    """The rows of a mask by a sort key, ``-`` before it for descending; equal ones by address."""
    rows = np.flatnonzero(mask)
    descending, key = sort.startswith("-"), sort.removeprefix("-")
    addresses = np.array([sky.hexes[row] for row in rows], dtype="U7")
    rows = rows[np.argsort(addresses, kind="stable")]
    if key == "hex":
        return rows[::-1] if descending else rows
    column_name = SORT_KEYS[key]
    values = (altitude_ft(sky) if column_name is None else sky.column(column_name))[rows]
    unknown = values == b"" if values.dtype.kind == "S" else np.isnan(values.astype(float))
    known_rows, present = rows[~unknown], values[~unknown]
    order = np.argsort(present, kind="stable")
    if descending:
        # A stable descending order: reverse twice, so that equal values stay in the order of addresses.
        order = len(present) - 1 - np.argsort(present[::-1], kind="stable")[::-1]
    return np.concatenate([known_rows[order], rows[unknown]])


def altitude_ft(sky: Sky) -> npt.NDArray[np.float32]:
    """Barometric altitude, or geometric where there is none; aircraft on the ground count as 0."""
    barometric = sky.column("alt_baro_ft")
    altitude = np.where(np.isnan(barometric), sky.column("alt_geom_ft"), barometric)
    return np.where(sky.column("on_ground"), np.float32(0), altitude)


def _text(column_name: str) -> Callable[[Sky, Sequence[str]], Mask]:
    def apply(sky: Sky, values: Sequence[str]) -> Mask:
        column = sky.column(column_name)
        mask = np.zeros(len(sky), dtype=bool)
        for text in values:
            value = text.upper().encode("ascii", "replace")
            mask |= np.char.startswith(column, value[:-1]) if value.endswith(b"*") else column == value
        return mask

    return apply


def _airport(end: str) -> Callable[[Sky, Sequence[str]], Mask]:
    """A filter by the end of a route, whose codes are of either kind."""

    def apply(sky: Sky, codes: Sequence[str]) -> Mask:
        wanted = [code.encode() for code in codes]
        mask: Mask = np.isin(sky.column(end), wanted) | np.isin(sky.column(f"{end}_iata"), wanted)
        return mask

    return apply


def _flag(column_name: str) -> Callable[[Sky, bool], Mask]:
    return lambda sky, value: sky.column(column_name) == value


def _receiver(sky: Sky, names: Sequence[str]) -> Mask:
    indexes = [index for index, name in enumerate(sky.receivers) if name in names]
    return np.isin(sky.column("receiver"), indexes)


def _addresses(sky: Sky, addresses: Sequence[str]) -> Mask:
    mask = np.zeros(len(sky), dtype=bool)
    mask[[sky.index[address] for address in addresses if address in sky.index]] = True
    return mask


_FILTERS: dict[str, Callable[[Sky, Any], Mask]] = {
    "hex": _addresses,
    "bbox": lambda sky, box: geo.inside_box(sky.column("lat"), sky.column("lon"), *box),
    "min_altitude_ft": lambda sky, low: altitude_ft(sky).astype(np.float64) >= low,
    "max_altitude_ft": lambda sky, high: altitude_ft(sky).astype(np.float64) <= high,
    "min_speed_kt": lambda sky, low: sky.column("gs_kt").astype(np.float64) >= low,
    "max_speed_kt": lambda sky, high: sky.column("gs_kt").astype(np.float64) <= high,
    "receiver": _receiver,
    "origin": _airport("origin"),
    "destination": _airport("destination"),
    **{name: _text(column) for name, column in TEXT_FILTERS.items()},
    **{name: _text(column) for name, column in EXACT_FILTERS.items()},
    **{name: _flag(name) for name in FLAG_FILTERS},
}
