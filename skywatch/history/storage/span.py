"""What is read of stored points."""

from __future__ import annotations

import math
from dataclasses import dataclass

from skywatch.airframes.military import MilitaryAircraft
from skywatch.core import geo
from skywatch.history.storage.points import AT_S, DEGREES, MILITARY, SEGMENT_S, Points, identity

Box = tuple[float, float, float, float]
# Beyond the longest way between two points of a track, twice: 2,000 kt for SEGMENT_S each (degrees of latitude).
AROUND_DEG = 2 * 2_000 * SEGMENT_S / 3600 / 60
# Nearer to a pole a box with its surroundings goes around it.
POLAR_DEG = 85.0


@dataclass(frozen=True)
class Span:
    """What to read: from ``begin`` to ``end`` (unix seconds), of one aircraft or all.

    ``hidden`` are the military aircraft where they are left out (``airframes.military.hidden_from``). ``box`` is (west,
    south, east, north) in degrees: points outside it are left out. One with a west greater than its east crosses the
    date line.
    """

    begin: float
    end: float
    aircraft: int | None = None
    hidden: MilitaryAircraft | None = None
    box: Box | None = None

    def pick(self, points: Points) -> Points:
        """The points of the span's aircraft (whole slices; ``within`` trims)."""
        if self.aircraft is not None:
            points = points[identity(points) == self.aircraft]
        if self.hidden is not None and len(points):
            points = points[~self.hidden.mask(identity(points), points["aircraft"] & MILITARY > 0)]
        if self.box is not None and len(points):
            points = points[geo.inside_box(points["lat"] * DEGREES, points["lon"] * DEGREES, *self.box)]
        return points

    def within(self, points: Points) -> Points:
        """The points that lie in the span."""
        at = points["at"] * AT_S
        return points[(at >= self.begin) & (at <= self.end)]


def around(box: Box) -> Box:
    """A box with its surroundings: a line of a track that crosses the box has both its ends in it."""
    west, south, east, north = box
    south, north = max(south - AROUND_DEG, -90.0), min(north + AROUND_DEG, 90.0)
    widest = max(abs(south), abs(north))
    width = east - west + (360.0 if west > east else 0.0)
    margin = AROUND_DEG / math.cos(math.radians(widest)) if widest < POLAR_DEG else 180.0
    if width + 2 * margin >= 360.0:
        return -180.0, south, 180.0, north
    west, east = west - margin, east + margin
    return west + (360.0 if west < -180.0 else 0.0), south, east - (360.0 if east > 180.0 else 0.0), north
