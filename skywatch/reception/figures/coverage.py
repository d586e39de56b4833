"""Coverage in cells of half a degree, for those who may not know where an antenna is.

The cells are laid around a place that is no more exact than what others may know of the antenna's.
"""

from __future__ import annotations

from datetime import datetime
from itertools import product
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

from skywatch.core import geo
from skywatch.feeders.models import COARSE, EXACT, Feeder
from skywatch.reception.figures.quality import greatest_ranges
from skywatch.reception.measurement.hour import Array

CELL_DEG = 0.5
# What others may know of a coarse place (degrees).
COARSE_DEG = 0.1
# Nobody hears an aircraft beyond (nm): a feeder that claims to would make an answer of the whole world.
FARTHEST_NM = 500.0
NM_PER_DEG = 60.0


def coverage(session: Session, feeder: Feeder, now: datetime) -> dict[str, Any]:
    """The cells in which a feeder has heard aircraft in 30 days, and in which it does now; the same for everybody."""
    ranges = greatest_ranges(session, f"feeder-{feeder.id}", now)
    cells = covered(_blurred(ranges[0], feeder), ranges[1], ranges[2]) if ranges is not None else []
    return {"cell_deg": CELL_DEG, "cells": cells}


def covered(origin: tuple[float, float], now_nm: Array, max_nm: Array) -> list[dict[str, Any]]:
    """The cells that the ranges around ``origin`` (degrees) reach: at their middle, a corner or the middle of a side.

    ``now_nm`` and ``max_nm`` are the ranges of the 36 sectors (nm). The origin's own cell is always one of them.
    """
    reach = np.minimum(max_nm, FARTHEST_NM)
    if not reach.any():
        return []
    lat, lon = _middles(origin, float(reach.max()))
    is_own = (np.abs(lat - origin[0]) <= CELL_DEG / 2) & (np.abs(lon - origin[1]) <= CELL_DEG / 2)
    chosen, is_now = is_own.copy(), is_own & bool(now_nm.any())
    for north, east in product((-CELL_DEG / 2, 0.0, CELL_DEG / 2), repeat=2):
        distance, sector = _seen_from(origin, lat + north, lon + east)
        chosen |= distance <= reach[sector]
        is_now |= (distance <= now_nm[sector]) & (distance <= reach[sector])
    west = (lon[chosen] - CELL_DEG / 2 + 180.0) % 360.0 - 180.0
    south = lat[chosen] - CELL_DEG / 2
    return [
        {"lat": cell_lat, "lon": cell_lon, "now": present}
        for cell_lat, cell_lon, present in zip(south.tolist(), west.tolist(), is_now[chosen].tolist(), strict=True)
    ]


def _blurred(origin: tuple[float, float], feeder: Feeder) -> tuple[float, float]:
    """The place as others may know it: of a hidden one, and of a station, the middle of its cell."""
    if feeder.lat is None or feeder.place_privacy not in (EXACT, COARSE):
        lat, lon = ((np.floor(value / CELL_DEG) + 0.5) * CELL_DEG for value in origin)
        return float(lat), float(lon)
    if feeder.place_privacy == EXACT:
        return origin
    return round(origin[0] / COARSE_DEG) * COARSE_DEG, round(origin[1] / COARSE_DEG) * COARSE_DEG


def _middles(origin: tuple[float, float], reach_nm: float) -> tuple[Array, Array]:
    """The middles of all cells that may be within reach (degrees; longitudes around that of the origin)."""
    reach_deg = reach_nm / NM_PER_DEG + CELL_DEG
    rows = np.arange(
        np.floor(max(-90.0, origin[0] - reach_deg) / CELL_DEG), np.ceil(min(90.0, origin[0] + reach_deg) / CELL_DEG)
    )
    # The widest parallel of a circle is farther than its middle: degrees of longitude narrow towards the poles.
    nearest_pole = min(90.0, abs(origin[0]) + reach_deg)
    width = min(180.0, reach_deg / max(np.cos(np.radians(nearest_pole)), 1e-6))
    columns = np.arange(np.floor((origin[1] - width) / CELL_DEG), np.ceil((origin[1] + width) / CELL_DEG))
    lat, lon = np.meshgrid(rows, columns[: int(360.0 / CELL_DEG)], indexing="ij")
    return (lat.ravel() + 0.5) * CELL_DEG, (lon.ravel() + 0.5) * CELL_DEG


def _seen_from(origin: tuple[float, float], lat: Array, lon: Array) -> tuple[Array, Array]:
    """Distances (nm) and sectors of places."""
    return geo.distance_nm(*origin, lat, lon), geo.sector_of(geo.bearing_deg(*origin, lat, lon))
