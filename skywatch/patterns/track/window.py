"""A sliding window over a trail: how far an aircraft strayed lately, at constant cost for each sample."""

from __future__ import annotations

from collections import deque
from itertools import pairwise
from math import atan2, degrees, floor, inf, pi, sqrt
from typing import NamedTuple

from skywatch.patterns.track.plane import wrap_deg

_STILL_KT = 1.0
"""Reported by aircraft that stand (kt)."""

_STRAIGHT_DEG = 20.0
"""Courses between samples wander this much (deg) in straight flight, by noise of 100 m and at helicopters' speed."""


class Sample(NamedTuple):
    """A position for the window, every so many seconds, whether or not the aircraft moved."""

    t: float
    x: float
    y: float
    alt_ft: float | None
    speed_kt: float | None
    path_nm: float
    steps_nm: float = 0.0
    """Sum of the distances from position to position so far."""
    steps: int = 0


class Window:
    """The samples of the last `span_s` seconds with running sums; also counts the cells of ground they lie in.

    The sums are taken about the first sample so that little is lost to cancellation far from the plane's anchor.
    """

    __slots__ = ("_cell_nm", "_cells", "_gap_s", "_gap_t", "_r2", "_samples", "_speed_sum", "_speeds", "_still",
                 "_sx", "_sy", "_x0", "_y0", "span_s")  # fmt: skip

    def __init__(self, span_s: float, cell_nm: float, gap_s: float) -> None:
        """Watch `span_s` seconds in cells of `cell_nm`; two samples more than `gap_s` apart leave a gap."""
        self.span_s = span_s
        self._cell_nm = cell_nm
        self._gap_s = gap_s
        self._samples: deque[Sample] = deque()
        self.clear()

    def clear(self) -> None:
        """Forget all samples."""
        self._samples.clear()
        self._cells: dict[tuple[int, int], int] = {}
        self._sx = self._sy = self._r2 = self._x0 = self._y0 = 0.0
        self._speed_sum = 0.0
        self._speeds = 0
        self._still = 0
        self._gap_t = float("-inf")

    def add(self, sample: Sample) -> None:
        """Take the next sample and drop those that are too old."""
        samples = self._samples
        if not samples:
            self.clear()
            self._x0, self._y0 = sample.x, sample.y
        elif sample.t - samples[-1].t > self._gap_s:
            self._gap_t = sample.t
        samples.append(sample)
        self._count(sample, 1)
        while sample.t - samples[0].t > self.span_s:
            self._count(samples.popleft(), -1)

    def _count(self, p: Sample, sign: int) -> None:
        dx, dy = p.x - self._x0, p.y - self._y0
        self._sx += sign * dx
        self._sy += sign * dy
        self._r2 += sign * (dx * dx + dy * dy)
        if p.speed_kt is not None:
            self._speed_sum += sign * p.speed_kt
            self._speeds += sign
            self._still += sign * (p.speed_kt < _STILL_KT)
        cell = (floor(p.x / self._cell_nm), floor(p.y / self._cell_nm))
        left = self._cells.get(cell, 0) + sign
        if left:
            self._cells[cell] = left
        else:
            del self._cells[cell]

    @property
    def duration_s(self) -> float:
        """Seconds from the first to the last sample."""
        return self._samples[-1].t - self._samples[0].t if self._samples else 0.0

    @property
    def start_t(self) -> float:
        """Time of the first sample."""
        return self._samples[0].t

    def __len__(self) -> int:
        return len(self._samples)

    @property
    def centre(self) -> tuple[float, float]:
        """Mean position, nm."""
        n = len(self._samples)
        return self._x0 + self._sx / n, self._y0 + self._sy / n

    @property
    def radius_nm(self) -> float:
        """Root mean square distance from the centre."""
        n = len(self._samples)
        mx, my = self._sx / n, self._sy / n
        return sqrt(max(self._r2 / n - mx * mx - my * my, 0.0))

    @property
    def way_nm(self) -> float:
        """Way flown from the first to the last sample."""
        return self._samples[-1].path_nm - self._samples[0].path_nm

    @property
    def new_ground_share(self) -> float:
        """Cells gone over as a share of those of a straight way: 1 over ever new ground, little over the same.

        A straight step comes into another cell as often as a needle of its length, thrown on a grid of squares, crosses
        a line: P. S. Laplace, *Théorie analytique des probabilités*, 1812, on Buffon's needle.
        """
        count = len(self._samples)
        step = min(self.way_nm / max(count - 1, 1) / self._cell_nm, 1.0)
        crossing = (4.0 * step - step * step) / pi
        return min(len(self._cells) / (1.0 + crossing * (count - 1)), 1.0)

    def order(self) -> float:
        """Return how well the directions of the way agree, by right angles or by 60 degrees, whichever is more.

        That is the length of the mean of exp(4i * direction) or exp(6i * direction) over the way: Mardia and Jupp,
        *Directional Statistics*, 2000, on data with several axes. Looks at every sample.
        """
        square = sector = 0j
        way = 0.0
        for a, b in pairwise(self._samples):
            step = complex(b.x - a.x, b.y - a.y)
            length = abs(step)
            if length > 0.0:
                direction = step / length
                # Powers by multiplication: `complex ** int` takes several times as long for the same bits.
                twice = direction * direction
                fourfold = twice * twice
                square += length * fourfold
                sector += length * (twice * fourfold)
                way += length
        return max(abs(square), abs(sector)) / max(way, 1e-9)

    def one_sided(self) -> float:
        """Return the turn to one side over all turns to either: 1 where all go the same way, 0 where they cancel.

        Looks at every sample; steps that bend by less than `_STRAIGHT_DEG` are straight flight.
        """
        net = gross = 0.0
        before: float | None = None
        for a, b in pairwise(self._samples):
            if a.x == b.x and a.y == b.y:
                continue
            course = degrees(atan2(b.x - a.x, b.y - a.y))
            bend = 0.0 if before is None else wrap_deg(course - before)
            before = course
            if abs(bend) >= _STRAIGHT_DEG:
                net += bend
                gross += abs(bend)
        return abs(net) / max(gross, 1.0)

    def altitude_range_ft(self) -> tuple[float, float] | None:
        """Return the lowest and the highest altitude; looks at every sample."""
        altitudes = [p.alt_ft for p in self._samples if p.alt_ft is not None]
        return (min(altitudes), max(altitudes)) if altitudes else None

    def speed_kt(self) -> float:
        """Return the mean of the reported speeds where most samples have one, else way over time."""
        if self.knows_speed():
            return self._speed_sum / self._speeds
        return self.way_nm * 3600.0 / max(self.duration_s, 1.0)

    def step_kt(self) -> float:
        """Return the speed from position to position, in which noise counts too."""
        return (self._samples[-1].steps_nm - self._samples[0].steps_nm) * 3600.0 / max(self.duration_s, 1.0)

    def step_s(self) -> float:
        """Return the usual time from position to position; infinite where there was but one."""
        steps = self._samples[-1].steps - self._samples[0].steps
        return self.duration_s / steps if steps else inf

    def noise_step_kt(self, noise_nm: float) -> float:
        """Return the speed from position to position that noise alone makes, of so much (one sigma) in each direction.

        The distance of two such positions has the Rayleigh distribution, whose mean is the root of pi times sigma.
        """
        return sqrt(pi) * noise_nm * 3600.0 / max(self.step_s(), 1.0)

    def knows_speed(self) -> bool:
        """Return whether most samples have a reported speed."""
        return self._speeds * 2 >= len(self._samples)

    def share_below_ft(self, level_ft: float) -> float:
        """Return the share of the samples of known height at or below a level; 1 where none is known."""
        altitudes = [p.alt_ft for p in self._samples if p.alt_ft is not None]
        return sum(alt_ft <= level_ft for alt_ft in altitudes) / len(altitudes) if altitudes else 1.0

    def still_share(self) -> float:
        """Return the share of the samples with a reported speed of nought."""
        return self._still / len(self._samples)

    def has_gap(self) -> bool:
        """Return whether two neighbouring samples lie too far apart in time."""
        return self._gap_t > self._samples[0].t
