"""Draws a flight second by second, over the ground or in the drifting air, and notes what is flown when.

Places are nautical miles on a plane, headings degrees clockwise from north, times seconds from the start.
"""

from __future__ import annotations

from math import atan2, cos, degrees, hypot, radians, sin, sqrt, tan

from skywatch.patterns.corpora.tracks import Segment, Track
from skywatch.patterns.track.plane import LocalPlane
from tests.unit.patterns.drawn.dice import Dice
from tests.unit.patterns.drawn.dubins import shortest

START = 1_700_000_000.0


class Pen:
    """One aircraft with its true airspeed, wind, place and height."""

    def __init__(self, rnd: Dice, tas_kt: float, alt_ft: float, wind_kt: float | None = None) -> None:
        self.rnd = rnd
        self.tas_kt = tas_kt
        self.alt_ft = alt_ft
        wind = rnd.choice((0.0, rnd.uniform(0.0, rnd.wind_share))) * tas_kt if wind_kt is None else wind_kt
        blows = radians(rnd.uniform(0.0, 360.0))
        self.wind = (wind * sin(blows), wind * cos(blows))
        self.heading = rnd.uniform(0.0, 360.0)
        self.x = self.y = self.t = 0.0
        self.in_air = False
        """Whether what is drawn drifts with the wind, as it does where nobody corrects for it."""
        self.wander_nm = rnd.uniform(0.0, 0.015)
        """How far the pilot strays from the line (nm, one sigma)."""
        self._stray = [0.0, 0.0]
        self.climb_ft_min = 0.0
        self.path: list[tuple[float, float, float, float, float, float]] = []
        self.segments: list[Segment] = []

    # Moving

    def _step(self, way_nm: float, turn_deg: float) -> None:
        self.heading += 0.5 * turn_deg
        east, north = sin(radians(self.heading)), cos(radians(self.heading))
        wx, wy = self.wind
        if self.in_air:
            vx, vy = self.tas_kt * east + wx, self.tas_kt * north + wy
            speed = hypot(vx, vy)
            dt = way_nm * 3600.0 / self.tas_kt
        else:
            along, across = wx * east + wy * north, wx * north - wy * east
            speed = max(along + sqrt(max(self.tas_kt**2 - across**2, 1.0)), 20.0)
            vx, vy = speed * east, speed * north
            dt = way_nm * 3600.0 / speed
        self.heading += 0.5 * turn_deg
        self.t += dt
        self.x += vx * dt / 3600.0
        self.y += vy * dt / 3600.0
        self.alt_ft += self.climb_ft_min * dt / 60.0
        # The pilot's straying is a walk that returns to the line within half a minute.
        for i in (0, 1):
            back = dt / 30.0
            self._stray[i] += -back * self._stray[i] + self.wander_nm * sqrt(2.0 * back) * self.rnd.gauss(0.0, 1.0)
        track = degrees(atan2(vx, vy)) % 360.0
        self.path.append((self.t, self.x + self._stray[0], self.y + self._stray[1], self.alt_ft, speed, track))

    def _move(self, way_nm: float, turn_deg: float) -> Pen:
        # A step takes about a second.
        steps = max(1, round(way_nm * 3600.0 / self.tas_kt))
        for _ in range(steps):
            self._step(way_nm / steps, turn_deg / steps)
        return self

    def straight(self, way_nm: float) -> Pen:
        """Fly ahead."""
        return self._move(way_nm, 0.0) if way_nm > 0.0 else self

    def turn(self, turn_deg: float, radius_nm: float) -> Pen:
        """Fly an arc, right if positive."""
        return self._move(radians(abs(turn_deg)) * radius_nm, turn_deg)

    def climb(self, to_ft: float, rate_ft_min: float) -> Pen:
        """Climb or descend from here on, until `level` or so."""
        self.climb_ft_min = rate_ft_min if to_ft > self.alt_ft else -rate_ft_min
        return self

    def level(self) -> Pen:
        """Keep the height from here on."""
        self.climb_ft_min = 0.0
        return self

    def fly_to(self, x: float, y: float, heading: float, radius_nm: float) -> Pen:
        """Fly the shortest way with turns of `radius_nm` to a place and a heading."""
        pieces = shortest((x - self.x) / radius_nm, (y - self.y) / radius_nm,
                          radians(90.0 - self.heading), radians(90.0 - heading))  # fmt: skip
        for side, length in pieces:
            if length < 1e-6:
                continue
            if side:
                self.turn(-side * degrees(length), radius_nm)
            else:
                self.straight(length * radius_nm)
        self.heading = heading
        return self

    def turn_to(self, x: float, y: float, side: float, radius_nm: float) -> Pen:
        """Turn to one side until the nose points to a place, and fly straight to it."""
        for _ in range(120):
            off = (degrees(atan2(x - self.x, y - self.y)) - self.heading) * side % 360.0
            if off <= 3.0 or off >= 345.0:
                break
            self.turn(side * 3.0, radius_nm)
        self.heading = degrees(atan2(x - self.x, y - self.y))
        return self.straight(hypot(x - self.x, y - self.y))

    def fly_back(self, side: float, radius_nm: float) -> Pen:
        """Turn back on to the line flown before, as it was 60 degrees of turn ago: three quarters of a bulb."""
        # After 60 degrees to one side, 300 to the other and 60 back lead onto the reversed line.
        return self.turn(side * 300.0, radius_nm).turn(-side * 60.0, radius_nm)

    def turn_radius_nm(self, bank_deg: float) -> float:
        """Return the radius of a turn at `bank_deg`: v squared over g tan(bank)."""
        v = self.tas_kt * 0.514444
        return v * v / (9.80665 * tan(radians(bank_deg))) / 1852.0

    def rate_radius_nm(self, deg_s: float) -> float:
        """Return the radius of a turn of so many degrees a second."""
        return self.tas_kt / 3600.0 / radians(deg_s)

    # Noting

    def note(self, label: str, t0: float) -> Pen:
        """Label what was flown since `t0`."""
        self.segments.append(Segment(label, START + t0, START + self.t))
        return self

    def heard(self, name: str, address: str, hint: str) -> Track:
        """Return the flight as a receiver hears it: every 1 to 12 s, with noise, perhaps with gaps."""
        rnd = self.rnd
        every_s = rnd.choice((1.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0))
        noise_nm = rnd.choice((0.002, 0.005, 0.01))
        gaps = []
        if rnd.random() < 0.15:
            begin = rnd.uniform(0.0, self.t)
            gaps.append((begin, begin + rnd.uniform(20.0, 70.0)))
        plane = LocalPlane(rnd.uniform(-60.0, 65.0), rnd.uniform(-180.0, 180.0))
        points: list[list[float | None]] = []
        last = float("-inf")
        for t, x, y, alt, speed, track in self.path:
            if t - last < every_s or any(a <= t < b for a, b in gaps):
                continue
            last = t
            lat, lon = plane.unproject(x + rnd.gauss(0.0, noise_nm), y + rnd.gauss(0.0, noise_nm))
            course = (track + rnd.gauss(0.0, 0.7) - plane.convergence_deg(lat, lon)) % 360.0
            points.append([START + t, lat, lon, round(alt / 25.0) * 25.0, round(speed + rnd.gauss(0.0, 1.0), 1),
                           round(course, 1), None])  # fmt: skip
        return Track(points, name, address, None, "drawn", hint, True, self.segments)
