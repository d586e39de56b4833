"""A flat map around an aircraft, on which flight patterns are measured.

The map is the oblique stereographic projection of the sphere about an anchor: it is conformal, so turns and shapes
keep their angles, its scale is wrong by 0.2 % 300 nm away, and it knows neither a date line nor a pole.
"""

from __future__ import annotations

from math import asin, atan2, cos, degrees, hypot, radians, sin

EARTH_RADIUS_NM = 3440.065
"""Mean radius of the Earth (6371.0 km), as in the great-circle formulas of the ICAO and FAA."""


def wrap_deg(angle: float) -> float:
    """Return `angle` (degrees) brought into -180 <= angle < 180."""
    return (angle + 180.0) % 360.0 - 180.0


def segment_distance(x: float, y: float, ax: float, ay: float, bx: float, by: float) -> float:
    """Return the distance from a point to the segment from a to b, in the unit of the plane."""
    dx, dy = bx - ax, by - ay
    squared = dx * dx + dy * dy
    along = 0.0 if squared <= 0.0 else max(0.0, min(1.0, ((x - ax) * dx + (y - ay) * dy) / squared))
    return hypot(x - ax - along * dx, y - ay - along * dy)


class LocalPlane:
    """Stereographic plane about an anchor; x points east and y north there, both in nautical miles.

    Source: J. P. Snyder, *Map Projections: A Working Manual*, USGS Professional Paper 1395 (1987), chapter 21.
    """

    __slots__ = ("_cos0", "_sin0", "lat", "lon")

    def __init__(self, lat: float, lon: float) -> None:
        """Anchor the plane at `lat`, `lon` (degrees)."""
        self.lat = lat
        self.lon = lon
        self._sin0 = sin(radians(lat))
        self._cos0 = cos(radians(lat))

    def project(self, lat: float, lon: float) -> tuple[float, float]:
        """Return x, y (nm) of a place in degrees; the antipode of the anchor has none."""
        phi = lat * 0.017453292519943295
        lam = (lon - self.lon) * 0.017453292519943295
        sin_phi, cos_phi, cos_lam = sin(phi), cos(phi), cos(lam)
        cos_distance = self._sin0 * sin_phi + self._cos0 * cos_phi * cos_lam
        scale = 2.0 * EARTH_RADIUS_NM / max(1.0 + cos_distance, 1e-9)
        return (
            scale * cos_phi * sin(lam),
            scale * (self._cos0 * sin_phi - self._sin0 * cos_phi * cos_lam),
        )

    def unproject(self, x: float, y: float) -> tuple[float, float]:
        """Return latitude and longitude (degrees) of a point of the plane in nm."""
        rho = hypot(x, y)
        if rho < 1e-12:
            return self.lat, self.lon
        c = 2.0 * atan2(rho, 2.0 * EARTH_RADIUS_NM)
        sin_lat = cos(c) * self._sin0 + y * sin(c) * self._cos0 / rho
        lat = degrees(asin(max(-1.0, min(1.0, sin_lat))))
        dlon = degrees(atan2(x * sin(c), rho * self._cos0 * cos(c) - y * self._sin0 * sin(c)))
        return lat, wrap_deg(self.lon + dlon)

    def convergence_deg(self, lat: float, lon: float) -> float:
        """Return what to add to a true track there to get its direction on the plane, clockwise from +y.

        The usual approximation of grid convergence: difference of longitude times the sine of the mean latitude.
        """
        return -wrap_deg(lon - self.lon) * sin(0.5 * radians(lat + self.lat))
