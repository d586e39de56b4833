"""Evaluations of many flights: counts and trends, where traffic was (heat map), range of reception (coverage)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core import geo
from skywatch.core.clock import earlier
from skywatch.history.models import Flight
from skywatch.history.reading.archive import Span, one_slice_in, read_slices
from skywatch.history.reading.flights import FlightFilter, conditions
from skywatch.history.storage.points import (
    ALTITUDE_FT,
    AT_S,
    DEGREES,
    GAP,
    NO_ALTITUDE,
    Points,
    in_order,
    no_points,
    starts_of,
)
from skywatch.security.visibility import Visibility

TOP = 10
# Sampling interval of the heat map along a segment (s).
SAMPLE_S = 10.0
MAX_CELLS = 20_000
# Chunks that one evaluation reads: those of a day of 200 aircraft. Of a span with more it reads one slice of ten
# minutes in so many, spread evenly.
MAX_CHUNKS = 2_500
BANDS_FT: tuple[int, ...] = (0, 5_000, 10_000, 20_000, 30_000, 40_000)
SECTOR_DEG = 10


def statistics(session: Session, begin: datetime, end: datetime, visibility: Visibility) -> dict[str, Any]:
    """Totals, a row for each day, the most frequent types and callsigns, and the change against the span before."""
    where = _flights_begun_in(begin, end, visibility.military)
    totals = _totals(session, where)
    before = _totals(session, _flights_begun_in(earlier(begin, end - begin), begin, visibility.military))
    return {
        "from": begin,
        "to": end,
        **totals,
        "change": {name: _change(before[name], totals[name]) for name in ("flights", "aircraft", "positions")},
        "days": _days(session, where),
        "top_types": _top(session, where, Flight.aircraft_type, "type"),
        "top_operators": _top(session, where, sa.func.substr(Flight.callsign, 1, 3), "operator"),
        "top_aircraft": _top(session, where, Flight.icao_hex, "icao_hex"),
    }


def _flights_begun_in(begin: datetime, end: datetime, military: bool) -> list[Any]:
    """Flights that began in a span: each counts once, however long it lasted."""
    return [Flight.first_seen_at >= begin, Flight.first_seen_at < end, *conditions(FlightFilter(), military)]


def _totals(session: Session, where: list[Any]) -> dict[str, Any]:
    count = sa.func.count
    row = session.execute(
        sa.select(
            count(),
            count(Flight.icao_hex.distinct()),
            sa.func.coalesce(sa.func.sum(Flight.positions), 0),
            sa.func.coalesce(sa.func.sum(Flight.messages), 0),
            sa.func.coalesce(sa.func.sum(sa.case((Flight.military, 1), else_=0)), 0),
            sa.func.coalesce(sa.func.sum(sa.case((Flight.emergency, 1), else_=0)), 0),
            sa.func.max(Flight.max_distance_nm),
            sa.func.max(Flight.max_altitude_ft),
            sa.func.max(Flight.max_speed_kt),
        ).where(*where)
    ).one()
    names = ("flights", "aircraft", "positions", "messages", "military_flights", "emergency_flights")
    totals: dict[str, Any] = {name: int(value) for name, value in zip(names, row, strict=False)}
    totals["max_distance_nm"] = None if row[6] is None else round(row[6], 1)
    totals["max_altitude_ft"] = row[7]
    totals["max_speed_kt"] = None if row[8] is None else round(row[8], 1)
    return totals


def _change(before: int, now: int) -> float | None:
    """The change in percent, None where there was nothing before."""
    return round(100.0 * (now - before) / before, 1) if before else None


def _days(session: Session, where: list[Any]) -> list[dict[str, Any]]:
    begin: Any = Flight.first_seen_at
    if session.get_bind().dialect.name == "sqlite":
        day = sa.func.date(sa.type_coerce(begin, sa.Integer) // 1000, "unixepoch")
    else:
        day = sa.func.date(sa.func.timezone("UTC", begin))
    query = (
        sa.select(day, sa.func.count(), sa.func.count(Flight.icao_hex.distinct()), sa.func.sum(Flight.positions))
        .where(*where)
        .group_by(day)
        .order_by(day)
    )
    return [
        {"date": str(date), "flights": flights, "aircraft": aircraft, "positions": int(positions or 0)}
        for date, flights, aircraft, positions in session.execute(query)
    ]


def _top(session: Session, where: list[Any], column: Any, name: str) -> list[dict[str, Any]]:
    query = (
        sa.select(column, sa.func.count())
        .where(*where, column.is_not(None))
        .group_by(column)
        .order_by(sa.func.count().desc(), column)
        .limit(TOP)
    )
    return [{name: value, "flights": flights} for value, flights in session.execute(query)]


def samples(points: Points, every_s: float = SAMPLE_S) -> tuple[npt.NDArray[Any], ...]:
    """Where aircraft were every ``every_s`` along their segments: (latitude, longitude, altitude ft) columns.

    Stored points are far apart on straight flight and near to each other in turns; counting them would count turns.
    """
    if len(points) < 2:
        return tuple(np.empty(0) for _ in range(3))
    before, after = points[:-1], points[1:]
    is_connected = (
        (before["flight"] == after["flight"]) & (before["aircraft"] == after["aircraft"]) & (after["flags"] & GAP == 0)
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
) -> dict[str, Any]:
    """The time aircraft spent in each cell of a grid, the busiest cells first."""
    seconds: dict[int, float] = {}
    columns_around = round(360 / cell_deg) + 1
    last_points = no_points()
    every = one_slice_in(session, span, MAX_CHUNKS)
    for points in _points_within(session, span, every):
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
) -> dict[str, Any]:
    """The range of reception, by bearing from the station and by altitude."""
    sectors = 360 // SECTOR_DEG
    farthest = np.zeros((sectors, len(BANDS_FT)))
    counts = np.zeros((sectors, len(BANDS_FT)), np.int64)
    every = one_slice_in(session, span, MAX_CHUNKS)
    for points in _points_within(session, span, every):
        points = points[points["flags"] & NO_ALTITUDE == 0]
        if min_altitude_ft is not None:
            points = points[points["alt"] * ALTITUDE_FT >= min_altitude_ft]
        if max_altitude_ft is not None:
            points = points[points["alt"] * ALTITUDE_FT <= max_altitude_ft]
        lat, lon = points["lat"] * DEGREES, points["lon"] * DEGREES
        distance = geo.distance_nm(*station, lat, lon)
        sector = (geo.bearing_deg(*station, lat, lon) // SECTOR_DEG).astype(np.int64) % sectors
        band = np.clip(np.searchsorted(BANDS_FT, points["alt"] * ALTITUDE_FT, side="right") - 1, 0, None)
        np.maximum.at(farthest, (sector, band), distance)
        np.add.at(counts, (sector, band), 1)
    limits = (*BANDS_FT, None)
    sectors_of_answer = [
        {
            "bearing_from": sector * SECTOR_DEG,
            "bearing_to": (sector + 1) * SECTOR_DEG,
            "max_distance_nm": round(float(farthest[sector].max()), 2) if counts[sector].any() else None,
            "bands": [
                {
                    "min_altitude_ft": limits[band],
                    "max_altitude_ft": limits[band + 1],
                    "max_distance_nm": round(float(farthest[sector, band]), 2) if counts[sector, band] else None,
                    "points": int(counts[sector, band]),
                }
                for band in range(len(BANDS_FT))
            ],
        }
        for sector in range(sectors)
    ]
    return {"one_slice_in": every, "sectors": sectors_of_answer}


def _points_within(session: Session, span: Span, every: int) -> Iterator[Points]:
    for _, points in read_slices(session, span, every=every):
        within = span.within(points)
        if len(within):
            yield within
