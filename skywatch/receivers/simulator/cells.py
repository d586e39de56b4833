"""Cells of airspace for light aircraft and helicopters: each circles in a cell and layer of its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from skywatch.core import geo
from skywatch.receivers.simulator.airport import Airport, is_in_sector
from skywatch.receivers.simulator.paths import frame, orbit
from skywatch.receivers.simulator.placement import Kind, SimulatedFlight

CELL_NM, MARGIN_NM = 8.0, 5.0
# Nearer to the airport than this (nm) arrivals and departures are as low as light aircraft.
LOW_TRAFFIC_NM = 35.0
LIGHT_LAYERS_FT = (2500.0, 3500.0, 4500.0, 5500.0, 6500.0)
HELICOPTER_LAYERS_FT = (600.0, 1100.0)
LIGHT_KT, LIGHT_RADIUS_NM = (75.0, 150.0), (1.0, 2.0)
HELICOPTER_KT, HELICOPTER_RADIUS_NM = (55.0, 85.0), (0.4, 1.2)
SWING_FT = 120.0
STAYS_S = (600.0, 5400.0)

Slot = tuple[float, float, float]


class _Free:
    """Free slots in their order; those that are released come after all others.

    As rows of an array: a wide sky has 130,000 of them.
    """

    def __init__(self, slots: npt.NDArray[np.float64]) -> None:
        self._slots, self._taken = slots, 0
        self._released: deque[Slot] = deque()

    def take(self) -> Slot | None:
        """The next one, which is not free any more; None where there is none."""
        if self._taken == len(self._slots):
            return self._released.popleft() if self._released else None
        x, y, layer = self._slots[self._taken].tolist()
        self._taken += 1
        return x, y, layer

    def release(self, slot: Slot) -> None:
        """Let others have it."""
        self._released.append(slot)


class Cells:
    """The free cells around a centre, the nearest ones for the most part first."""

    def __init__(
        self,
        generator: np.random.Generator,
        centre: tuple[float, float],
        radius_nm: float,
        count: int,
        airport: Airport,
    ) -> None:
        self._generator = generator
        self._centre = centre
        outer_nm = min(radius_nm - MARGIN_NM, max(0.6 * radius_nm, CELL_NM * np.sqrt(count)), 0.2 * geo.EARTH_RADIUS_NM)
        cells = _free(airport, outer_nm)
        self._light = self._shuffled(cells, LIGHT_LAYERS_FT)
        self._helicopter = self._shuffled(cells, HELICOPTER_LAYERS_FT)

    def light(self, now: float) -> SimulatedFlight | None:
        """A place for a light aircraft."""
        return self._place(Kind.LIGHT, self._light, now, LIGHT_KT, LIGHT_RADIUS_NM, SWING_FT)

    def helicopter(self, now: float) -> SimulatedFlight | None:
        """A place for a helicopter."""
        return self._place(Kind.HELICOPTER, self._helicopter, now, HELICOPTER_KT, HELICOPTER_RADIUS_NM, 0.0)

    def _shuffled(self, cells: npt.NDArray[np.float64], layers: tuple[float, ...]) -> _Free:
        slots = np.column_stack((np.repeat(cells, len(layers), axis=0), np.tile(layers, len(cells))))
        weights = (np.hypot(slots[:, 0], slots[:, 1]) + CELL_NM) * self._generator.random(len(slots))
        return _Free(slots[np.argsort(weights)])

    def _place(
        self,
        kind: Kind,
        free: _Free,
        now: float,
        speeds: tuple[float, float],
        radii: tuple[float, float],
        swing_ft: float,
    ) -> SimulatedFlight | None:
        slot = free.take()
        if slot is None:
            return None
        x, y, altitude_ft = slot
        lat, lon = geo.destination(*self._centre, np.degrees(np.arctan2(x, y)), np.hypot(x, y))
        return circling(
            self._generator, kind, (float(lat), float(lon)), altitude_ft, now, speeds, radii, swing_ft,
            lambda: free.release(slot),
        )  # fmt: skip


def circling(
    generator: np.random.Generator,
    kind: Kind,
    at: tuple[float, float],
    altitude_ft: float,
    now: float,
    speeds: tuple[float, float],
    radii: tuple[float, float],
    swing_ft: float,
    release: Callable[[], None] = lambda: None,
) -> SimulatedFlight:
    """A place on a circle around a point; speeds and radii are drawn from their ranges."""
    path = orbit(
        frame(*at, 0.0), float(generator.uniform(*radii)), bool(generator.random() < 0.5), generator.uniform(0, 6.28)
    )
    speed_kt, stays_s = float(generator.uniform(*speeds)), float(generator.uniform(*STAYS_S))
    return SimulatedFlight(kind, path, now, now + stays_s, speed_kt, altitude_ft, swing_ft, release=release)


def _free(airport: Airport, outer_nm: float) -> npt.NDArray[np.float64]:
    """The cells (rows of nm east and north of the centre) in which nobody else flies low."""
    count = max(int(outer_nm / CELL_NM), 0)
    steps = np.arange(-count, count + 1) * CELL_NM
    x, y = (axis.ravel() for axis in np.meshgrid(steps, steps))
    distance, heading = np.hypot(x, y), np.radians(airport.heading_deg)
    aside = np.degrees(np.arctan2(x, y) - heading)
    is_taken = is_in_sector(aside, distance, MARGIN_NM) | is_in_sector(aside + 180, distance, MARGIN_NM)
    is_taken &= distance < LOW_TRAFFIC_NM
    along, left = x * np.sin(heading) + y * np.cos(heading), y * np.sin(heading) - x * np.cos(heading)
    for strip in airport.strips:
        is_taken |= strip.contains(along, left, MARGIN_NM)
    is_free = (distance <= outer_nm) & ~is_taken
    return np.column_stack((x[is_free], y[is_free]))
