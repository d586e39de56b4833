"""A lap as it is flown in the air: the wind, the airspeed, the rate of turn and the straight legs.

Over the ground the wind bends a lap until its shape tells little: a hold in strong wind looks round, and circles about
one place are flown with a bank that changes. In the moving air turns have one rate and legs are straight. The wind
shows in the lap itself: the ends of all velocities over the ground lie on a circle about the wind, whose radius is the
airspeed, and a lap goes all the way round that circle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import atan2, cos, degrees, hypot, radians, sin, sqrt

from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.plane import wrap_deg
from skywatch.patterns.track.trail import Vertex

_VERTICES = 6
"""Fewer places tell neither a rate of turn nor a leg."""


@dataclass(frozen=True, slots=True)
class AirLap:
    """What a lap was in the air."""

    airspeed_kt: float
    wind_kt: float
    misfit_kt: float
    """How far the velocities lie from their circle, root mean square: large where they are heard badly."""
    rate_deg_s: float
    """Rate at which half of the turn was flown no more quickly."""
    straight_s: float
    """Time that the lap took longer than its turns at that rate: its legs."""
    legs_s: tuple[float, float]
    """That time by the two directions of the legs, the shorter first."""
    duration_s: float

    @property
    def straight_share(self) -> float:
        """Share of the time on legs."""
        return self.straight_s / self.duration_s

    def is_clear(self, s: PatternSettings) -> bool:
        """Return whether the lap was heard well enough: its velocities lie on a circle."""
        return self.misfit_kt <= s.hold_in_air.misfit_share * self.airspeed_kt


def air_lap(line: Sequence[Vertex]) -> AirLap | None:
    """Return what the lap along `line` was in the air; None where it has too few places, or no speed tells."""
    if len(line) < _VERTICES:
        return None
    velocities = [
        (v.speed_kt * cos(radians(v.turn_deg)), v.speed_kt * sin(radians(v.turn_deg))) for v in line
    ]  # fmt: skip
    circle = _circle_through(velocities)
    if circle is None:
        return None
    wind_x, wind_y, airspeed = circle
    misfit = sqrt(sum((hypot(x - wind_x, y - wind_y) - airspeed) ** 2 for x, y in velocities) / len(velocities))
    headings = [degrees(atan2(y - wind_y, x - wind_x)) for x, y in velocities]
    sense = 1.0 if line[-1].turn_deg > line[0].turn_deg else -1.0
    steps = []
    for (a, b), (before, after) in zip(pairwise(line), pairwise(headings), strict=True):
        over_ground = b.turn_deg - a.turn_deg
        turned = (over_ground + wrap_deg(after - before - over_ground)) * sense
        steps.append((b.t - a.t, max(turned, 0.0), before + 0.5 * turned * sense))
    rate = _usual_rate(steps)
    if rate <= 0.0:
        return None
    straight = [(max(time_s - turned / rate, 0.0), heading) for time_s, turned, heading in steps]
    legs = _by_direction(straight)
    return AirLap(airspeed, hypot(wind_x, wind_y), misfit, rate, sum(legs), legs, line[-1].t - line[0].t)


def _circle_through(points: Sequence[tuple[float, float]]) -> tuple[float, float, float] | None:
    """Return centre and radius of the circle nearest to points; None where they lie on a line.

    I. Kåsa, "A circle fitting procedure and its error analysis", IEEE Transactions on Instrumentation and Measurement
    25 (1976): least squares of the squared distances, which is linear.
    """
    n = len(points)
    mean_x, mean_y = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    xx = xy = yy = x_r2 = y_r2 = 0.0
    for x, y in points:
        dx, dy = x - mean_x, y - mean_y
        r2 = dx * dx + dy * dy
        xx += dx * dx
        xy += dx * dy
        yy += dy * dy
        x_r2 += dx * r2
        y_r2 += dy * r2
    det = xx * yy - xy * xy
    if det <= 1e-6 * max(xx, yy, 1.0) ** 2:
        return None
    x = 0.5 * (x_r2 * yy - y_r2 * xy) / det
    y = 0.5 * (y_r2 * xx - x_r2 * xy) / det
    return x + mean_x, y + mean_y, sqrt(x * x + y * y + (xx + yy) / n)


def _usual_rate(steps: Sequence[tuple[float, float, float]]) -> float:
    """Return the rate of turn (deg/s) in the median of the turn: legs, which hardly turn, do not count."""
    rates = sorted((turned / max(time_s, 0.1), turned) for time_s, turned, _ in steps)
    half, sum_ = 0.5 * sum(turned for _, turned in rates), 0.0
    for rate, turned in rates:
        sum_ += turned
        if sum_ >= half:
            return rate
    return 0.0


def _by_direction(straight: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the time of straight flight to either side of the direction that most of it has, the shorter first."""
    cos2 = sum(time_s * cos(radians(2.0 * heading)) for time_s, heading in straight)
    sin2 = sum(time_s * sin(radians(2.0 * heading)) for time_s, heading in straight)
    axis = 0.5 * atan2(sin2, cos2)
    ahead = sum(time_s for time_s, heading in straight if cos(radians(heading) - axis) > 0.0)
    back = sum(time_s for time_s, _ in straight) - ahead
    return min(ahead, back), max(ahead, back)
