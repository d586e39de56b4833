"""Finds the movements of flights that are imported."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from sqlalchemy.orm import Session

from skywatch.airports.corrections import store_corrections
from skywatch.airports.lines import Lines, lines
from skywatch.airports.monitor import courses, is_helicopter
from skywatch.airports.movements import Nature, judge
from skywatch.airports.pressure import LocalPressure, Track
from skywatch.airports.storage import Aircraft, Observed, write

# What is higher above the ceiling of its place (ft) is between two airports, where the pressure may be another.
ABOVE_FT = 2_000.0
LARGE = ("A3", "A4", "A5")
FEWEST_SAMPLES = 3


def record_movements(
    session: Session, flights: Iterable[tuple[int, Aircraft, str | None, Track]], pressure: LocalPressure | None = None
) -> int:
    """Find and store the movements of new flights, and return how many there are.

    A flight is given by its id, its aircraft, its emitter category and its track.
    """
    known = pressure or LocalPressure()
    observed: list[Observed] = []
    for flight_id, aircraft, category, track in flights:
        observed += [replace(each, flight_id=flight_id) for each in movements_of(aircraft, category, track, known)]
    store_corrections(session, known.take_learnt())
    return len(write(session, observed, None)) if observed else 0


def movements_of(
    aircraft: Aircraft, category: str | None, track: Track, pressure: LocalPressure, ground: Lines | None = None
) -> list[Observed]:
    """The movements of a flight in order, airport by airport."""
    ground = ground or lines()
    kind = (aircraft.aircraft_type or "").encode()
    nature = Nature(is_helicopter((category or "").encode(), kind), category in LARGE)
    found: list[Observed] = []
    if np.isnan(track.course).any():
        track = track._replace(course=np.where(np.isnan(track.course), courses(track), track.course))
    with np.errstate(invalid="ignore"):
        is_low = track.ground | (track.alt < ground.ceiling_ft(track.lat, track.lon) + ABOVE_FT)
    edges = np.flatnonzero(np.diff(np.concatenate(([False], is_low, [False])).astype("i1")))
    for begin, end in edges.reshape(-1, 2).tolist():
        part = Track(*(column[begin:end] for column in track))
        if end - begin < FEWEST_SAMPLES or np.isnan(part.alt).all():
            continue
        judged = judge(part, pressure.heights(part, ground), ground, nature, is_silent=end == len(is_low))
        found += [
            Observed(aircraft, ground.airports.ident(each.airport), each.at, each.kind, each.runway, each.sure)
            for each in judged.movements
        ]
    return found
