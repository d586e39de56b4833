"""Drawn flights around a place, stored as history stores them, and a plain recount of who was over an area."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.history.models import Chunk, Flight
from skywatch.history.recorder.writer import chunk_rows
from skywatch.history.storage.points import (
    ALTITUDE_FT,
    DEGREES,
    GAP,
    GROUND,
    MILITARY,
    NO_ALTITUDE,
    POINT,
    SIMULATED,
    in_order,
)
from skywatch.history.storage.shards import slices

BEGIN = 1_780_272_000.0
PLACE = (47.0, 8.0)


class Drawn(NamedTuple):
    """A flight with its points (unix s, degrees, ft; ``gap``: nothing was received before it)."""

    id: int
    address: int
    points: list[tuple[float, float, float, float | None, bool]]
    military: bool = False
    simulated: bool = False


def draw(
    count: int,
    seed: int,
    place: tuple[float, float] = PLACE,
    days: float = 1.0,
    *,
    first: int = 1,
    heights: tuple[float, float] = (500, 7_000),
) -> list[Drawn]:
    """Flights that wander around a place, climb and descend, are lost for a while and land.

    ``first``: the number of the first one; ``heights`` (ft): between which they begin.
    """
    chance = np.random.default_rng(seed)
    flights = []
    for number in range(first, first + count):
        at = BEGIN + chance.uniform(0, days * 86_400 - 4_000)
        lat, lon = place[0] + chance.normal(0, 0.12), place[1] + chance.normal(0, 0.15)
        course, height = chance.uniform(0, 2 * np.pi), chance.uniform(*heights)
        points: list[tuple[float, float, float, float | None, bool]] = []
        for step in range(int(chance.integers(3, 40))):
            seconds = float(np.round(chance.uniform(4, 60), 2))
            gap = step == 0 or chance.random() < 0.06
            if gap and step:
                seconds += 90.0
            at += seconds
            course += chance.normal(0, 0.5)
            lat += 0.0006 * seconds * np.cos(course)
            lon += 0.0009 * seconds * np.sin(course)
            height = max(0.0, height + chance.normal(0, 300))
            known = None if chance.random() < 0.03 else float(np.round(height / 5) * 5)
            lon_wrapped = (lon + 180.0) % 360.0 - 180.0
            points.append((round(at, 2), round(lat, 5), round(lon_wrapped, 5), known, bool(gap)))
        flights.append(Drawn(number, 0x4B0000 + number, points, number % 7 == 0))
    return flights


def points_of(flights: list[Drawn]) -> Any:
    """The points as history has them; a height of 0 is the ground."""
    rows = []
    for flight in flights:
        for at, lat, lon, height, gap in flight.points:
            flags = GAP if gap else 0
            flags |= NO_ALTITUDE if height is None else GROUND | NO_ALTITUDE if height == 0 else 0
            flags |= SIMULATED if flight.simulated else 0
            code = flight.address | (MILITARY if flight.military else 0)
            place = round(lat / DEGREES), round(lon / DEGREES)
            rows.append(
                (code, flight.id, round(at * 100), *place, round((height or 0) / ALTITUDE_FT), 100, 90, flags, 1)
            )
    return in_order(np.array(rows, POINT))


def store(session: Session, flights: list[Drawn]) -> None:
    """Store flights and their chunks."""
    for flight in flights:
        begin, end = (datetime.fromtimestamp(flight.points[index][0], UTC) for index in (0, -1))
        session.add(
            Flight(
                id=flight.id, icao_hex=f"{flight.address:06X}", callsign=f"TST{flight.id}", registration="HB-ABC",
                aircraft_type=("A320", "C172", None)[flight.id % 3], military=flight.military, emergency=False,
                active=False, simulated=flight.simulated, first_seen_at=begin - timedelta(seconds=5),
                last_seen_at=end, messages=9, positions=9, points=len(flight.points), distance_nm=1.0,
            )
        )  # fmt: skip
    points = points_of(flights)
    begins = slices(points)
    for at in np.unique(begins).tolist():
        session.execute(sa.insert(Chunk), chunk_rows(at, points[begins == at]))
    session.flush()


def recount(
    flights: list[Drawn], area: Any, below_ft: float, span: tuple[float, float]
) -> dict[int, tuple[float, ...]]:
    """(entered, left, lowest, seconds within) of each flight, looked at twice a second, and at each position."""
    import shapely

    found = {}
    for flight in flights:
        single = [(at, height, lon, lat) for at, lat, lon, height, _ in flight.points if height and height < below_ft]
        within = [(at, height) for at, height, lon, lat in single if shapely.contains_xy(area, lon, lat)]
        moments, heights = [at for at, _ in within], [height for _, height in within]
        for before, after in zip(flight.points, flight.points[1:], strict=False):
            if after[4] or not before[3] or not after[3]:
                continue
            share = np.arange(0, 1, 0.5 / (after[0] - before[0]))
            turn = (after[2] - before[2] + 180.0) % 360.0 - 180.0
            lat = before[1] + share * (after[1] - before[1])
            lon = before[2] + share * turn
            height = before[3] + share * (after[3] - before[3])
            inside = shapely.contains_xy(area, lon, lat) & (height < below_ft)
            moments += (before[0] + share[inside] * (after[0] - before[0])).tolist()
            heights += height[inside].tolist()
        if moments and span[0] <= min(moments) < span[1]:
            found[flight.id] = min(moments), max(moments), min(heights), len(moments) / 2
    return found
