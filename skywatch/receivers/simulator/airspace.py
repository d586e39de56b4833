"""``Airspace``: places that are kept apart as controllers keep aircraft apart, and how much room there is.

Overflights have lanes by flight level, arrivals and departures slots, shuttles strips, light aircraft and helicopters
cells. What finds no place of its kind flies over; what finds none at all waits.
"""

from __future__ import annotations

import numpy as np

from skywatch.core import geo
from skywatch.receivers.simulator import lanes
from skywatch.receivers.simulator.airport import Airport
from skywatch.receivers.simulator.cells import Cells, circling
from skywatch.receivers.simulator.lanes import Lanes
from skywatch.receivers.simulator.placement import Kind, SimulatedFlight

# Lanes have room for this many times the aircraft: those that enter at once must find an open one.
SPARE = 1.6
GROUND_NM, TAXI_KT, TAXI_NM = (0.1, 1.2), (4.0, 18.0), (0.05, 0.2)
WIDER = 1.1


class Airspace:
    """See ``placement.Placement``. ``shares`` are those of the airborne kinds among ``count`` aircraft."""

    def __init__(
        self,
        generator: np.random.Generator,
        count: int,
        shares: dict[Kind, float],
        centre: tuple[float, float],
        radius_nm: float,
        now: float,
    ) -> None:
        self._generator = generator
        self._centre = centre
        self.radius_nm = sufficient_radius_nm(count, radius_nm)
        shuttled = int(count * (shares[Kind.ARRIVAL] + shares[Kind.DEPARTURE]))
        self._airport = Airport(generator, centre, self.radius_nm, shuttled, now)
        self.profiles = self._airport.profiles
        slow = int(count * max(shares[Kind.LIGHT], shares[Kind.HELICOPTER]))
        self._cells = Cells(generator, centre, self.radius_nm, slow, self._airport)
        self._lanes = Lanes(generator, centre, self.radius_nm, now)
        self._lanes.prepare(count)

    def place(self, kind: Kind, now: float, entering: bool) -> SimulatedFlight | None:
        """See ``placement.Placement``."""
        if kind is Kind.GROUND:
            return parked(self._generator, self._centre, now)
        place: SimulatedFlight | None = None
        if kind is Kind.LIGHT:
            place = self._cells.light(now)
        elif kind is Kind.HELICOPTER:
            place = self._cells.helicopter(now)
        elif kind is not Kind.OVERFLIGHT:
            place = (self._airport.arrive if kind is Kind.ARRIVAL else self._airport.depart)(now, entering)
            place = place or self._airport.shuttle(kind, now, entering)
        return place or (self._lanes.enter(now) if entering else self._lanes.anywhere())


def sufficient_radius_nm(count: int, radius_nm: float) -> float:
    """The radius, or the next larger one in which so many aircraft can be kept apart."""
    largest = np.pi * geo.EARTH_RADIUS_NM
    while radius_nm < largest and lanes.capacity(radius_nm) < SPARE * count:
        radius_nm *= WIDER
    return radius_nm


def parked(generator: np.random.Generator, centre: tuple[float, float], now: float) -> SimulatedFlight:
    """A place on the ground around the airport: some stand and some taxi."""
    lat, lon = geo.destination(*centre, generator.uniform(0, 360), generator.uniform(*GROUND_NM))
    speeds = TAXI_KT if generator.random() < 1 / 3 else (0.0, 0.0)
    return circling(generator, Kind.GROUND, (float(lat), float(lon)), 0.0, now, speeds, TAXI_NM, 0.0)
