"""Evaluations: where traffic was (heat map), the range of reception (coverage), and near misses by cell (hotspots)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy.orm import Session

from skywatch.archive.contents.results import FOLDER
from skywatch.archive.reader.archive_reader import reach_of
from skywatch.archive.reader.questions import HotspotsQuestion
from skywatch.core import geo
from skywatch.core.geo import SECTOR_DEG, SECTORS
from skywatch.core.problems import Problem
from skywatch.history.storage.points import (
    ALTITUDE_FT,
    AT_S,
    DEGREES,
    GAP,
    GROUND,
    NO_ALTITUDE,
    SEGMENT_S,
    Points,
    in_order,
    no_points,
    real_points,
    starts_of,
)
from skywatch.history.storage.reader import Span, one_slice_in, read_slices
from skywatch.history.storage.span import around
from skywatch.picture.state.own_antenna import is_heard
from skywatch.sentences import sentence

# Sampling interval of the heat map along a segment (s).
SAMPLE_S = 10.0
MAX_CELLS = 20_000
# The job whose results are read for near misses, and the size of their cells.
HOTSPOTS, HOTSPOT_DEG = "hotspots", 0.1
_DAY = timedelta(days=1)
# Chunks that one evaluation reads: those of a day of 200 aircraft. Of a span with more it reads one slice of ten
# minutes in so many, spread evenly.
MAX_CHUNKS = 2_500
# The longest line between two points of a track (10 ms), with the rounding of both.
LONGEST = int(SEGMENT_S / AT_S) + 2
BANDS_FT: tuple[int, ...] = (0, 5_000, 10_000, 20_000, 30_000, 40_000)
LIMITS_FT: tuple[int | None, ...] = (*BANDS_FT, None)


def samples(points: Points, every_s: float = SAMPLE_S) -> tuple[npt.NDArray[Any], ...]:
    """Where aircraft were every ``every_s`` along their segments: (latitude, longitude, altitude ft) columns.

    Stored points are far apart on straight flight and near to each other in turns; counting them would count turns.
    """
    if len(points) < 2:
        return tuple(np.empty(0) for _ in range(3))
    before, after = points[:-1], points[1:]
    is_connected = (
        (before["flight"] == after["flight"])
        & (before["aircraft"] == after["aircraft"])
        & (after["flags"] & GAP == 0)
        # Where points in between were not read, because they are outside a box, there is no line.
        & (after["at"] - before["at"] <= LONGEST)
    )
    before, after = before[is_connected], after[is_connected]
    # Samples lie at whole multiples of the step in time, so that segments neither share nor miss one.
    first = np.ceil(before["at"] * AT_S / every_s)
    count = np.maximum(np.ceil(after["at"] * AT_S / every_s) - first, 0).astype(np.int64)
    segment = np.repeat(np.arange(len(before)), count)
    number = np.arange(len(segment)) - np.repeat(np.cumsum(count) - count, count)
    at = (first[segment] + number) * every_s
    begin, end = before["at"][segment] * AT_S, after["at"][segment] * AT_S
    share = (at - begin) / np.maximum(end - begin, AT_S)

    def interpolate(name: str, unit: float) -> npt.NDArray[Any]:
        start = before[name][segment].astype("f8")
        column: npt.NDArray[Any] = (start + (after[name][segment] - start) * share) * unit
        return column

    altitude = interpolate("alt", ALTITUDE_FT)
    altitude[(before["flags"][segment] | after["flags"][segment]) & NO_ALTITUDE > 0] = np.nan
    return interpolate("lat", DEGREES), interpolate("lon", DEGREES), altitude


def heatmap(
    session: Session,
    span: Span,
    cell_deg: float,
    box: tuple[float, float, float, float] | None,
    min_altitude_ft: float | None,
    max_altitude_ft: float | None,
    *,
    simulated: bool = False,
) -> dict[str, Any]:
    """The time aircraft spent in each cell of a grid, the busiest cells first; ``simulated``: such aircraft count."""
    seconds: dict[int, float] = {}
    columns_around = round(360 / cell_deg) + 1
    last_points = no_points()
    every = one_slice_in(session, span, MAX_CHUNKS)
    if box is not None:
        span = replace(span, box=around(box))
    for points in _points_within(session, span, every, simulated):
        if every > 1:
            # The slice before was not read.
            last_points = no_points()
        # A segment may reach from one slice into the next: the last points of the one before belong to it.
        lat, lon, altitude = samples(in_order(np.concatenate((last_points, points))))
        last_points = points[np.append(starts_of(points)[1:], len(points)) - 1]
        is_selected = np.ones(len(lat), bool)
        if box is not None:
            is_selected &= geo.inside_box(lat, lon, *box)
        if min_altitude_ft is not None:
            is_selected &= altitude >= min_altitude_ft
        if max_altitude_ft is not None:
            is_selected &= altitude <= max_altitude_ft
        row = np.floor((lat[is_selected] + 90) / cell_deg).astype(np.int64)
        column = np.floor((lon[is_selected] + 180) / cell_deg).astype(np.int64)
        cells, counts = np.unique(row * columns_around + column, return_counts=True)
        for cell, count in zip(cells.tolist(), counts.tolist(), strict=True):
            seconds[cell] = seconds.get(cell, 0.0) + count * SAMPLE_S * every
    busiest = sorted(seconds.items(), key=lambda item: (-item[1], item[0]))
    return {
        "cell_deg": cell_deg,
        "count": len(busiest),
        "truncated": len(busiest) > MAX_CELLS,
        "one_slice_in": every,
        "cells": [
            {
                "lat": round((cell // columns_around + 0.5) * cell_deg - 90, 6),
                "lon": round((cell % columns_around + 0.5) * cell_deg - 180, 6),
                "aircraft_s": value,
            }
            for cell, value in busiest[:MAX_CELLS]
        ],
    }


def coverage(
    session: Session,
    span: Span,
    station: tuple[float, float],
    min_altitude_ft: float | None = None,
    max_altitude_ft: float | None = None,
    *,
    simulated: bool = False,
) -> dict[str, Any]:
    """The range of reception, by bearing from the station and by altitude; ``simulated``: such aircraft count."""
    every = one_slice_in(session, span, MAX_CHUNKS)
    reception = RangeBySector(station)
    for points in _points_within(session, span, every, simulated):
        heard = heard_points(points, station, simulated=True)
        altitude = heard.points["alt"] * ALTITUDE_FT
        chosen = np.ones(len(altitude), np.bool_)
        if min_altitude_ft is not None:
            chosen &= altitude >= min_altitude_ft
        if max_altitude_ft is not None:
            chosen &= altitude <= max_altitude_ft
        reception.add(heard.where(chosen))
    sectors = [
        {
            "bearing_from": sector * SECTOR_DEG,
            "bearing_to": (sector + 1) * SECTOR_DEG,
            "max_distance_nm": reception.range_nm(sector),
            "bands": [
                {
                    "min_altitude_ft": LIMITS_FT[band],
                    "max_altitude_ft": LIMITS_FT[band + 1],
                    "max_distance_nm": reception.range_nm(sector, band),
                    "points": int(reception.counts[sector, band]),
                }
                for band in range(len(BANDS_FT))
            ],
        }
        for sector in range(SECTORS)
    ]
    return {"one_slice_in": every, "sectors": sectors}


class HeardPoints(NamedTuple):
    """Points, and of each its latitude, longitude (degrees), altitude (ft; NaN: unknown) and distance (nm)."""

    points: Points
    lat: npt.NDArray[np.float64]
    lon: npt.NDArray[np.float64]
    altitude_ft: npt.NDArray[np.float64]
    distance_nm: npt.NDArray[np.float64]

    def where(self, chosen: npt.NDArray[np.bool_]) -> HeardPoints:
        """Those of them that are chosen."""
        return HeardPoints(
            self.points[chosen],
            self.lat[chosen],
            self.lon[chosen],
            self.altitude_ft[chosen],
            self.distance_nm[chosen],
        )

    def sectors(self, station: tuple[float, float], sectors: int = SECTORS) -> npt.NDArray[np.int64]:
        """The sectors in which they lie from the station."""
        numbers: npt.NDArray[np.int64] = geo.sector_of(geo.bearing_deg(*station, self.lat, self.lon), sectors)
        return numbers


def heard_points(points: Points, station: tuple[float, float], *, simulated: bool = False) -> HeardPoints:
    """The points that the station's antenna heard; ``simulated``: those of simulated aircraft count."""
    points = points if simulated else real_points(points)
    flags, lat, lon = points["flags"], points["lat"] * DEGREES, points["lon"] * DEGREES
    distance = geo.distance_nm(*station, lat, lon)
    altitude = np.where(flags & NO_ALTITUDE > 0, np.nan, points["alt"] * ALTITUDE_FT)
    altitude[flags & GROUND > 0] = 0.0
    return HeardPoints(points, lat, lon, altitude, distance).where(is_heard(points["source"], distance, altitude))


class RangeBySector:
    """How far positions were from the station, by sector of bearing and band of altitude."""

    def __init__(self, station: tuple[float, float]) -> None:
        self._station = station
        self._farthest = np.zeros((SECTORS, len(BANDS_FT)))
        self.counts = np.zeros((SECTORS, len(BANDS_FT)), np.int64)

    def add(self, heard: HeardPoints) -> None:
        """Count the points of a known altitude."""
        heard = heard.where(heard.points["flags"] & NO_ALTITUDE == 0)
        altitude = heard.points["alt"] * ALTITUDE_FT
        cells = heard.sectors(self._station), np.clip(np.searchsorted(BANDS_FT, altitude, side="right") - 1, 0, None)
        np.maximum.at(self._farthest, cells, heard.distance_nm)
        np.add.at(self.counts, cells, 1)

    def range_nm(self, sector: int, band: int | None = None) -> float | None:
        """The farthest position of a sector, in one band or all; None where there is none."""
        which = slice(None) if band is None else slice(band, band + 1)
        if not self.counts[sector, which].any():
            return None
        return round(float(self._farthest[sector, which].max()), 2)


def _points_within(session: Session, span: Span, every: int, simulated: bool) -> Iterator[Points]:
    for _, points in read_slices(session, span, every=every):
        within = span.within(points if simulated else real_points(points))
        if len(within):
            yield within


def hotspots(
    session: Session, begin: datetime, end: datetime, box: tuple[float, float, float, float] | None, military: bool
) -> dict[str, Any]:
    """The cells with near misses, those with the most critical ones first, and the days without a result.

    They come from archived days that ``skywatch batch FILE.ini hotspots`` has evaluated.

    Raises Problem (503) where there is no archive or it cannot be read.
    """
    reach = reach_of(session)
    if reach is None:
        raise Problem(
            "unavailable",
            sentence(
                "history.no_archive", "This installation has no archive (archive_url), from which near misses come."
            ),
        )
    question = HotspotsQuestion(
        files=[f"{FOLDER}/{HOTSPOTS}"], begin=begin.timestamp(), end=end.timestamp(), military=military, box=box
    )
    found = reach.ask(question)
    cells = sorted(found["cells"], key=lambda cell: (-cell[4], -cell[3], -cell[2], cell[0], cell[1]))
    evaluated, day, missing = set(found["days"]), begin.astimezone(UTC).date(), []
    while datetime(day.year, day.month, day.day, tzinfo=UTC) < end:
        if day.isoformat() not in evaluated:
            missing.append(day.isoformat())
        day += _DAY
    names = ("lat", "lon", "info", "warning", "critical")
    return {
        "cell_deg": HOTSPOT_DEG,
        "count": len(cells),
        "truncated": len(cells) > MAX_CELLS,
        "missing_days": missing,
        "cells": [dict(zip(names, cell, strict=True)) for cell in cells[:MAX_CELLS]],
    }
