"""Flights drawn by a turtle: exact geometry for tests, sampled at any rate, anywhere on Earth."""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import cos, radians, sin

from skywatch.patterns.corpora.tracks import Track, find_patterns
from skywatch.patterns.findings import Pattern, PatternEvent
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.plane import LocalPlane
from skywatch.patterns.tracker import PatternTracker

Position = tuple[float, float, float, float | None, float | None, float | None, float | None]

START = 1_700_000_000.0
STEP_S = 1.0


class Flight:
    """Draws a flight second by second on a plane about `lat`, `lon`; headings are degrees clockwise from north."""

    def __init__(
        self,
        *,
        speed_kt: float = 90.0,
        alt_ft: float = 1500.0,
        lat: float = 52.0,
        lon: float = 5.0,
        heading: float = 0.0,
    ) -> None:
        self.plane = LocalPlane(lat, lon)
        self.speed_kt = speed_kt
        self.alt_ft = alt_ft
        self.heading = heading
        self.t = START
        self.x = self.y = 0.0
        self.track: list[tuple[float, float, float, float, float, float]] = []

    def _step(self, turn_deg: float, climb_ft: float = 0.0) -> None:
        way = self.speed_kt * STEP_S / 3600.0
        self.heading += 0.5 * turn_deg
        self.x += way * sin(radians(self.heading))
        self.y += way * cos(radians(self.heading))
        self.heading += 0.5 * turn_deg
        self.alt_ft += climb_ft
        self.t += STEP_S
        self.track.append((self.t, self.x, self.y, self.alt_ft, self.speed_kt, self.heading % 360.0))

    def straight(self, nm: float, climb_ft: float = 0.0) -> Flight:
        """Fly ahead, climbing evenly by `climb_ft` on the way."""
        steps = max(1, round(nm * 3600.0 / (self.speed_kt * STEP_S)))
        for _ in range(steps):
            self._step(0.0, climb_ft / steps)
        return self

    def turn(self, degrees: float, radius_nm: float, climb_ft: float = 0.0) -> Flight:
        """Fly an arc, right if positive."""
        steps = max(1, round(radians(abs(degrees)) * radius_nm * 3600.0 / (self.speed_kt * STEP_S)))
        for _ in range(steps):
            self._step(degrees / steps, climb_ft / steps)
        return self

    def orbit(self, turns: float, radius_nm: float) -> Flight:
        """Fly circles, to the right if positive."""
        return self.turn(360.0 * turns, radius_nm)

    def oval(self, laps: float, leg_nm: float, radius_nm: float) -> Flight:
        """Fly a racetrack of two legs and two half circles; half laps are allowed."""
        for _ in range(round(laps * 2)):
            self.straight(leg_nm).turn(180.0, radius_nm)
        return self

    def drift(self, seconds: float, speed_kt: float, wander_ft: float = 0.0) -> Flight:
        """Hover: drift in little squares at `speed_kt`, the height wandering by `wander_ft`."""
        cruise, self.speed_kt = self.speed_kt, speed_kt
        for second in range(round(seconds)):
            self._step(90.0 if second % 10 == 0 else 0.0, wander_ft * (1 if second // 60 % 2 == 0 else -1) / 60.0)
        self.speed_kt = cruise
        return self

    def stand(self, seconds: float) -> Flight:
        """Stay where it is, as on the ground."""
        for _ in range(round(seconds)):
            self.t += STEP_S
            self.track.append((self.t, self.x, self.y, self.alt_ft, 0.0, self.heading % 360.0))
        return self

    def positions(
        self,
        every_s: float = 5.0,
        *,
        noise_nm: float = 0.0,
        tracked: bool = True,
        seed: int = 1,
        gap: tuple[float, float] | None = None,
    ) -> list[Position]:
        """Return the positions as a receiver would hear them; `gap` (s from the start) is not heard."""
        rnd = random.Random(seed)
        heard: list[Position] = []
        last = float("-inf")
        for t, x, y, alt, speed, heading in self.track:
            if t - last < every_s - 0.01 or (gap and gap[0] <= t - START < gap[1]):
                continue
            last = t
            lat, lon = self.plane.unproject(x + rnd.gauss(0.0, noise_nm), y + rnd.gauss(0.0, noise_nm))
            track = (heading - self.plane.convergence_deg(lat, lon)) % 360.0
            heard.append((t, lat, lon, round(alt / 25.0) * 25.0, speed, track if tracked else None, None))
        return heard


def feed(positions: Sequence[Position], settings: PatternSettings | None = None) -> list[PatternEvent]:
    """Return all events of a flight, those of its end included."""
    tracker = PatternTracker("flight", "abc123", settings)
    events = [event for position in positions for event in tracker.feed(*position)]
    return events + tracker.close()


def found(flight: Flight | Sequence[Position], every_s: float = 5.0) -> list[Pattern]:
    """Return the patterns of a flight as they ended."""
    positions = flight.positions(every_s) if isinstance(flight, Flight) else flight
    return find_patterns(Track(points=[list(p) for p in positions], id="flight", icao24="abc123"))


def kinds(flight: Flight | Sequence[Position], every_s: float = 5.0) -> list[str]:
    """Return the types of the patterns of a flight."""
    return [pattern.pattern_type.value for pattern in found(flight, every_s)]


def circuits(laps: int, *, seen_above_ft: float = 0.0) -> list[Position]:
    """Return aerodrome circuits of 1000 ft with touch and go, heard only above `seen_above_ft`."""
    flight = Flight(speed_kt=80.0, alt_ft=0.0)
    for _ in range(laps):
        flight.straight(1.0, climb_ft=600.0).turn(-90.0, 0.25, climb_ft=200.0).straight(0.3, climb_ft=200.0)
        flight.turn(-90.0, 0.25).straight(1.8).turn(-90.0, 0.25, climb_ft=-300.0).straight(0.3, climb_ft=-200.0)
        flight.turn(-90.0, 0.25, climb_ft=-200.0).straight(0.8, climb_ft=-300.0)
    return [p for p in flight.positions() if p[3] is not None and p[3] >= seen_above_ft]
