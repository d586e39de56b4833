"""``Scatter``: places anywhere, without any separation, for drills that need dangerous encounters by the thousand."""

from __future__ import annotations

import numpy as np

from skywatch.core import geo
from skywatch.receivers.simulator.airport import profiles, radial
from skywatch.receivers.simulator.airspace import parked
from skywatch.receivers.simulator.cells import HELICOPTER_KT, HELICOPTER_RADIUS_NM, LIGHT_KT, SWING_FT, circling
from skywatch.receivers.simulator.paths import frame, lane
from skywatch.receivers.simulator.placement import ARRIVING, DEPARTING, Kind, SimulatedFlight

# How much nearer to the centre these kinds are.
LIGHT_SHARE, HELICOPTER_SHARE = 0.6, 0.3
LIGHT_RADIUS_NM = (1.0, 5.0)


class Scatter:
    """See ``placement.Placement``; nobody is kept apart."""

    def __init__(self, generator: np.random.Generator, centre: tuple[float, float], radius_nm: float) -> None:
        self._generator = generator
        self._centre = centre
        self.radius_nm = radius_nm
        self.profiles = profiles(radius_nm)

    def place(self, kind: Kind, now: float, entering: bool) -> SimulatedFlight | None:
        """See ``placement.Placement``."""
        random = self._generator
        if kind is Kind.GROUND:
            return parked(random, self._centre, now)
        if kind is Kind.LIGHT:
            at, altitude_ft = self._anywhere(LIGHT_SHARE), 500.0 * random.integers(3, 14)
            return circling(random, kind, at, altitude_ft, now, LIGHT_KT, LIGHT_RADIUS_NM, SWING_FT)
        if kind is Kind.HELICOPTER:
            at, altitude_ft = self._anywhere(HELICOPTER_SHARE), 100.0 * random.integers(6, 16)
            return circling(random, kind, at, altitude_ft, now, HELICOPTER_KT, HELICOPTER_RADIUS_NM, 0.0)
        if kind is Kind.OVERFLIGHT:
            return self._overflight(now, entering)
        number = ARRIVING if kind is Kind.ARRIVAL else DEPARTING
        flown = self.profiles[number]
        path = radial(self._centre, random.uniform(0, 360), flown, kind is Kind.ARRIVAL)
        began_at = now if entering else now - random.uniform(0, flown.duration_s)
        return SimulatedFlight(kind, path, began_at, began_at + flown.duration_s, profile=number)

    def _overflight(self, now: float, entering: bool) -> SimulatedFlight:
        random = self._generator
        at, heading = self._anywhere(1.0), random.uniform(0, 360)
        if entering:
            outward = random.uniform(0, 360)
            lat, lon = geo.destination(*self._centre, outward, self.radius_nm * 0.98)
            at, heading = (float(lat), float(lon)), outward + 180 + random.uniform(-60, 60)
        path = lane(frame(*at, heading), 0.0, 0.0)
        # It ends where it leaves the radius.
        speed_kt, altitude_ft = float(random.uniform(430, 500)), 1000.0 * random.integers(30, 42)
        return SimulatedFlight(Kind.OVERFLIGHT, path, now, np.inf, speed_kt, altitude_ft)

    def _anywhere(self, share: float) -> tuple[float, float]:
        # Even over the cap of the sphere, whatever its size.
        cap = 1 - np.cos(self.radius_nm / geo.EARTH_RADIUS_NM)
        distance_nm = np.arccos(1 - self._generator.random() * cap) * geo.EARTH_RADIUS_NM * share
        lat, lon = geo.destination(*self._centre, self._generator.uniform(0, 360), distance_nm)
        return float(lat), float(lon)
