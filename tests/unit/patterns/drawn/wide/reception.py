"""How a flight is heard: in full, as usual, seldom, or by multilateration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from skywatch.patterns.corpora.tracks import Track
from skywatch.patterns.track.plane import LocalPlane
from tests.unit.patterns.drawn.dice import Dice
from tests.unit.patterns.drawn.pen import START, Pen

Heard = tuple[float, float, float, float, float, float]
"""Seconds from the start, place (nm), altitude (ft), speed (kt) and track (degrees)."""


@dataclass(frozen=True)
class Reception:
    """Ranges from which a flight's reception is drawn."""

    every_s: tuple[float, float]
    noise_nm: tuple[float, float]
    lost_share: float
    """Positions that are lost, at most."""
    gaps: float
    """Gaps expected in an hour..."""
    gap_s: tuple[float, float] = (20.0, 90.0)
    """... each so long (s)."""
    speed_noise_kt: float = 1.0
    track_noise_deg: float = 0.7
    velocity_share: float = 1.0
    """Share of the flights whose speed and track are sent."""


FULL = Reception((1.0, 5.0), (0.002, 0.01), 0.1, 0.1)
USUAL = Reception((4.0, 12.0), (0.002, 0.012), 0.2, 0.4)
SELDOM = Reception((12.0, 25.0), (0.002, 0.02), 0.2, 0.8, (30.0, 150.0))
MULTILATERATION = Reception((6.0, 15.0), (0.02, 0.05), 0.25, 0.5, (20.0, 90.0), 6.0, 8.0, 0.5)

RECEPTIONS = ((0.40, FULL), (0.75, USUAL), (0.90, SELDOM), (1.0, MULTILATERATION))
"""Each with the share of flights up to which it goes."""


def any_reception(dice: Dice) -> Reception:
    """Return one of the receptions by its share."""
    number = dice.random()
    return next(reception for share, reception in RECEPTIONS if number < share)


def hear(pen: Pen, dice: Dice, name: str, address: str, hint: str, reception: Reception | None = None) -> Track:
    """Return the flight as it is heard, somewhere on Earth, with the labels of what was flown."""
    r = reception or any_reception(dice)
    noise_nm, sends_velocity = dice.uniform(*r.noise_nm), dice.random() < r.velocity_share
    step_ft = dice.choice((25.0, 25.0, 25.0, 100.0))
    plane = LocalPlane(dice.uniform(-60.0, 65.0), dice.uniform(-180.0, 180.0))
    points: list[list[float | None]] = []
    for t, x, y, alt, speed, track in _heard(pen, dice, r):
        lat, lon = plane.unproject(x + dice.gauss(0.0, noise_nm), y + dice.gauss(0.0, noise_nm))
        course = (track + dice.gauss(0.0, r.track_noise_deg) - plane.convergence_deg(lat, lon)) % 360.0
        fast = max(speed + dice.gauss(0.0, r.speed_noise_kt), 0.0)
        velocity = [round(fast, 1), round(course, 1)] if sends_velocity else [None, None]
        points.append([START + t, lat, lon, round(alt / step_ft) * step_ft, *velocity, None])
    return Track(points, name, address, None, name, hint, True, pen.segments)


def _heard(pen: Pen, dice: Dice, r: Reception) -> Iterator[Heard]:
    """Yield what is received of the path: every so often, less what is lost and what lies in gaps."""
    every_s, lost = dice.uniform(*r.every_s), dice.uniform(0.0, r.lost_share)
    length_s = pen.path[-1][0]
    gaps = []
    for _ in range(int(length_s / 3600.0 * r.gaps + dice.random())):
        begin = dice.uniform(0.0, length_s)
        gaps.append((begin, begin + dice.uniform(*r.gap_s)))
    last = float("-inf")
    for point in pen.path:
        t = point[0]
        if t - last < every_s or any(a <= t < b for a, b in gaps):
            continue
        last = t
        if dice.random() >= lost:
            yield point
