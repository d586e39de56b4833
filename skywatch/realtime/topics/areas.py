"""The areas of subscribers, and the tiles by which one tick serves all of them.

The changed aircraft of a tick are sorted into tiles of one degree. An area takes the tiles that lie wholly inside
it as ready-joined JSON, which all areas share, and looks at single aircraft only in the tiles that its border
cuts. There is no state between ticks: the aircraft that left an area follow from the positions before and after.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.core.geo import inside_box
from skywatch.sentences import sentence

Rows = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]
# Tiles in a band of latitude; 361 because a longitude of exactly 180 has a tile of its own.
_STRIDE = 361


@dataclass(frozen=True)
class Area:
    """A box in degrees; west greater than east crosses the date line."""

    west: float
    south: float
    east: float
    north: float

    def inside(self, lat: Any, lon: Any) -> npt.NDArray[np.bool_]:
        """Which points lie in the area; unknown positions (NaN) never do."""
        return np.asarray(inside_box(lat, lon, self.west, self.south, self.east, self.north))


def parse_area(value: object) -> Area | None:
    """An area from ``[west, south, east, north]`` or the same as text; None means everywhere.

    Raises ValueError with a sentence for the client.
    """
    if value is None:
        return None
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list | tuple) or len(value) != 4:
        raise ValueError(sentence("realtime.bbox", "bbox must be four numbers: west, south, east, north"))
    try:
        west, south, east, north = (float(part) for part in value if not isinstance(part, bool))
    except (TypeError, ValueError, OverflowError):
        raise ValueError(sentence("realtime.bbox", "bbox must be four numbers: west, south, east, north")) from None
    if not (-90 <= south <= north <= 90):
        raise ValueError(
            sentence(
                "realtime.bbox_latitudes", "bbox: south and north must lie between -90 and 90, south not above north"
            )
        )
    if not (-180 <= west <= 180 and -180 <= east <= 180):
        raise ValueError(sentence("realtime.bbox_longitudes", "bbox: west and east must lie between -180 and 180"))
    return Area(west, south, east, north)


@dataclass(frozen=True)
class Moves:
    """Aircraft that changed in one tick: rows of the sky, positions now and in the tick before (NaN: none)."""

    rows: Rows
    lat: Floats
    lon: Floats
    was_lat: Floats
    was_lon: Floats

    def take(self, indices: Rows) -> Moves:
        """The moves at some indices, in that order."""
        return Moves(
            self.rows[indices], self.lat[indices], self.lon[indices], self.was_lat[indices], self.was_lon[indices]
        )

    def leaving(self, area: Area) -> list[int]:
        """Rows of those that were in an area and are not any more."""
        before, now = area.inside(self.was_lat, self.was_lon), area.inside(self.lat, self.lon)
        rows: list[int] = self.rows[before & ~now].tolist()
        return rows


@dataclass(frozen=True)
class Departures:
    """Addresses that left the sky in one tick, with their last positions."""

    addresses: list[str]
    lat: Floats
    lon: Floats

    def leaving(self, area: Area) -> list[str]:
        """The aircraft that were in an area."""
        return [self.addresses[i] for i in np.flatnonzero(area.inside(self.lat, self.lon)).tolist()]


class ChangedTiles:
    """The aircraft that changed in one tick, by tile; built once a tick and asked by every area.

    ``address`` gives the address of a row.
    """

    def __init__(self, moves: Moves, departures: Departures, address: Callable[[int], str]) -> None:
        self._address = address
        tile, was_tile = _tile_of(moves.lat, moves.lon), _tile_of(moves.was_lat, moves.was_lon)
        # Only these can leave an area in whose inner tiles they are: all others are found along the border.
        self._strays = moves.take(np.flatnonzero((was_tile >= 0) & (was_tile != tile)))
        self._departures = departures
        order = np.argsort(tile, kind="stable")
        order = order[tile[order] >= 0]
        tile = tile[order]
        self._moves = moves.take(order)
        numbers, self._starts = np.unique(tile, return_index=True)
        self._ends = np.append(self._starts[1:], len(tile))
        self._tile_lat = numbers // _STRIDE - 90.0
        self._tile_lon = numbers % _STRIDE - 180.0
        self._joined: dict[tuple[int, bool], bytes] = {}

    def update(self, area: Area, details: bool, bodies: list[bytes]) -> tuple[bytes, list[str]]:
        """The joined JSON of what changed in an area, and the addresses that left it.

        ``bodies`` are the encoded aircraft of every row of the sky, with or without details as ``details`` says.
        """
        south, west = self._tile_lat, self._tile_lon
        inner_lat = (south >= area.south) & (south + 1 <= area.north)
        touch_lat = (south + 1 >= area.south) & (south <= area.north)
        after_west, before_east = west >= area.west, west + 1 <= area.east
        reaches_west, reaches_east = west + 1 >= area.west, west <= area.east
        if area.west <= area.east:
            inner = inner_lat & after_west & before_east
            touched = touch_lat & reaches_west & reaches_east
        else:
            inner = inner_lat & (after_west | before_east)
            touched = touch_lat & (reaches_west | reaches_east)
        parts = [self._chunk(tile, details, bodies) for tile in np.flatnonzero(inner).tolist()]
        removed = [self._address(row) for row in self._strays.leaving(area)]
        removed += self._departures.leaving(area)
        border = np.flatnonzero(touched & ~inner)
        if len(border):
            at = np.concatenate([np.arange(self._starts[t], self._ends[t]) for t in border.tolist()])
            cut = self._moves.take(at)
            parts += [bodies[row] for row in cut.rows[area.inside(cut.lat, cut.lon)].tolist()]
            departed_addresses = set(removed)
            removed += [a for a in map(self._address, cut.leaving(area)) if a not in departed_addresses]
        return b",".join(parts), removed

    def _chunk(self, tile: int, details: bool, bodies: list[bytes]) -> bytes:
        key = (tile, details)
        chunk = self._joined.get(key)
        if chunk is None:
            rows = self._moves.rows[self._starts[tile] : self._ends[tile]].tolist()
            chunk = self._joined[key] = b",".join([bodies[row] for row in rows])
        return chunk


def _tile_of(lat: Floats, lon: Floats) -> npt.NDArray[np.int64]:
    """The number of each position's tile, -1 where the position is unknown."""
    is_known = np.isfinite(lat) & np.isfinite(lon)
    band = np.floor(np.where(is_known, lat, 0.0)) + 90
    column = np.floor(np.where(is_known, lon, 0.0)) + 180
    return np.where(is_known, band * _STRIDE + column, -1).astype(np.int64)
