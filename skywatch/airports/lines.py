"""The lines of runways: which of them an aircraft is on, and how low is low where it is."""

from __future__ import annotations

import math
import threading
from typing import NamedTuple

import numpy as np

from skywatch.airports.directory import HELIPORT, Column, Directory, directory
from skywatch.core import geo

_FEET_PER_NM = geo.METRES_PER_NM * geo.FEET_PER_METRE
# What flies lower than this above the highest airport around (ft) may be on its way to or from one. Pressure moves
# altitudes by up to 900 ft.
CEILING_FT = 5_900
CELL_DEG = 0.25
_NO_AIRPORT_FT = -32768
# Helicopters land within so many nm of an airport's place, or of a heliport's.
HELICOPTER_NM, HELIPORT_NM = 1.0, 0.2


class Bearings(NamedTuple):
    """Where points are along lines [m, n]: nm from the threshold, and nm to the right of the line."""

    along: Column
    across: Column


class Lines:
    """The directions of runways with a place, by latitude; columns of the same length. Use ``lines()``."""

    def __init__(self, airports: Directory) -> None:
        self.airports = airports
        runways = airports.runways
        rows = np.flatnonzero(~np.isnan(runways.lat) & ~np.isnan(runways.heading) & (runways.span_ft > 0))
        rows = rows[np.argsort(runways.lat[rows], kind="stable")]
        self.airport, self.ident, self.heading = runways.airport[rows], runways.ident[rows], runways.heading[rows]
        self.displaced_nm = runways.displaced_ft[rows] / _FEET_PER_NM
        # From the threshold to the far end.
        self.length_nm = runways.span_ft[rows] / _FEET_PER_NM - self.displaced_nm
        self.length_ft = runways.span_ft[rows]
        self.elevation_ft = np.nan_to_num(runways.elevation_ft[rows])
        self._begin_lat = runways.lat[rows]
        self.lat, self.lon = geo.destination(runways.lat[rows], runways.lon[rows], self.heading, self.displaced_nm)
        self._ceiling = _ceilings(airports)

    def near(self, lat: float, lon: float, within_nm: float) -> Column:
        """The rows of lines whose threshold lies in a box around a point."""
        margin = within_nm / 60.0
        # They are sorted by where the pavement begins, which is half a mile from the threshold at most.
        begin, end = np.searchsorted(self._begin_lat, (lat - margin - 0.01, lat + margin + 0.01)).tolist()
        across = margin / max(math.cos(math.radians(lat)), 0.01)
        is_near = np.abs((self.lon[begin:end] - lon + 180.0) % 360.0 - 180.0) <= across
        rows: Column = np.flatnonzero(is_near) + begin
        return rows

    def bearings(self, rows: Column, lat: Column, lon: Column) -> Bearings:
        """Where points are along some lines; a plane is near enough for the few miles."""
        north = (lat[None, :] - self.lat[rows, None]) * 60.0
        east = ((lon[None, :] - self.lon[rows, None] + 180.0) % 360.0 - 180.0) * 60.0
        east *= np.cos(np.radians(self.lat[rows, None]))
        angle = np.radians(self.heading[rows, None].astype("f8"))
        sine, cosine = np.sin(angle), np.cos(angle)
        return Bearings(east * sine + north * cosine, east * cosine - north * sine)

    def ceiling_ft(self, lat: Column, lon: Column) -> Column:
        """The altitude below which aircraft at these places may be landing or taking off; f4[n]."""
        rows, columns = self._ceiling.shape
        y = ((lat + 90.0) / CELL_DEG).astype("i4").clip(0, rows - 1)
        x = ((lon + 180.0) / CELL_DEG).astype("i4") % columns
        hundreds = self._ceiling[y, x]
        ceiling: Column = np.where(hundreds > 0, hundreds.astype("f4") * 100.0, np.float32(_NO_AIRPORT_FT))
        return ceiling

    def helicopter_place(self, lat: float, lon: float) -> int | None:
        """The number of the heliport or airport at which a helicopter lands, or None."""
        airports = self.airports
        numbers = airports.around(lat, lon, HELICOPTER_NM)
        distance = geo.distance_nm(lat, lon, airports.lat[numbers], airports.lon[numbers])
        is_heliport = airports.kind[numbers] == HELIPORT
        for chosen in (is_heliport & (distance <= HELIPORT_NM), ~is_heliport & (distance <= HELICOPTER_NM)):
            if chosen.any():
                return int(numbers[np.where(chosen, distance, np.inf).argmin()])
        return None

    def place_without_lines(self, lat: float, lon: float) -> int | None:
        """The number of the airport within a mile whose runways nobody surveyed, or None."""
        airports = self.airports
        numbers = airports.around(lat, lon, HELICOPTER_NM)
        numbers = numbers[(airports.kind[numbers] != HELIPORT) & ~np.isin(numbers, self.airport)]
        distance = geo.distance_nm(lat, lon, airports.lat[numbers], airports.lon[numbers])
        return int(numbers[distance.argmin()]) if len(numbers) and distance.min() <= HELICOPTER_NM else None


def _ceilings(airports: Directory) -> Column:
    """By cell the ceiling of the highest airport in the cells around, in hundreds of feet; 0 where there is none."""
    rows, columns = round(180 / CELL_DEG), round(360 / CELL_DEG)
    grid = np.zeros((rows, columns), "u1")
    y = ((airports.lat + 90.0) / CELL_DEG).astype("i4").clip(0, rows - 1)
    x = ((airports.lon + 180.0) / CELL_DEG).astype("i4") % columns
    known = np.where(airports.elevation_ft == _NO_AIRPORT_FT, 0, airports.elevation_ft)
    ceiling = np.ceil((known.astype("i4") + CEILING_FT) / 100.0).clip(1, 255).astype("u1")
    reach = np.ceil(1.0 / np.cos(np.radians(airports.lat)).clip(0.2))
    for dy in (-1, 0, 1):
        for dx in range(-5, 6):
            some = np.flatnonzero(reach >= abs(dx))
            np.maximum.at(grid, ((y[some] + dy).clip(0, rows - 1), (x[some] + dx) % columns), ceiling[some])
    return grid


_lock = threading.Lock()
_loaded: list[Lines] = []


def lines() -> Lines:
    """The lines of all runways, made at the first call; in any thread."""
    with _lock:
        if not _loaded:
            _loaded.append(Lines(directory()))
        return _loaded[0]
