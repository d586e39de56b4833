"""The reliability of receivers: how often each was right lately, and its coverage."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence

import numpy as np

from skywatch.core import geo
from skywatch.picture.positions.accepted import Positions
from skywatch.picture.positions.plausibility import coverage

# A receiver is often wrong when more than this share of its recent positions, and at least so many, were refused.
WRONG_SHARE, WRONG_COUNT = 0.2, 20.0
# Recent: what was counted loses half its weight in this time (s).
HALF_LIFE_S = 120.0
COVERAGE_EVERY_S = 10.0


@dataclasses.dataclass
class ReceiverReliability:
    """How often a receiver was right lately, and its coverage: centre and radius."""

    believed: float = 0.0
    refused: float = 0.0
    fields_right: float = 0.0
    fields_wrong: float = 0.0
    coverage: tuple[float, float, float] | None = None

    @property
    def often_wrong(self) -> bool:
        """Whether it has no vote of its own, in positions and all other fields."""
        return _is_often(self.believed, self.refused) or _is_often(self.fields_right, self.fields_wrong)

    def in_range(self, lat: float, lon: float) -> bool:
        """Whether a place is within the receiver's coverage; true while that is unknown."""
        if self.coverage is None:
            return True
        centre_lat, centre_lon, radius_nm = self.coverage
        return geo.point_distance_nm(centre_lat, centre_lon, lat, lon) <= radius_nm

    def fade(self, factor: float) -> None:
        """Take weight off what was counted before."""
        self.believed *= factor
        self.refused *= factor
        self.fields_right *= factor
        self.fields_wrong *= factor


def _is_often(right: float, wrong: float) -> bool:
    return wrong >= WRONG_COUNT and wrong > WRONG_SHARE * (right + wrong)


class ReliabilityTracker:
    """The reliability of every receiver; ``implausible`` counts refusals by receiver and reason, since the start."""

    def __init__(self) -> None:
        self.implausible: dict[str, Counter[str]] = {}
        self._by_name: dict[str, ReceiverReliability] = {}
        self._learned_at: float | None = None

    def __getitem__(self, name: str) -> ReceiverReliability:
        """The reliability of a receiver; one that is new has never been wrong."""
        return self._by_name.setdefault(name, ReceiverReliability())

    def often_wrong(self, name: str) -> bool:
        """Whether a receiver was wrong so often that it has no vote of its own."""
        reliability = self._by_name.get(name)
        return reliability is not None and reliability.often_wrong

    def refuse(self, name: str, reason: str, count: int = 1) -> None:
        """Count what was refused of a receiver."""
        self.implausible.setdefault(name, Counter())[reason] += count

    def shift(self, step: float) -> None:
        """Move all times by ``step`` seconds: the clock has been set."""
        if self._learned_at is not None:
            self._learned_at += step

    def learn(self, believed: Sequence[Positions], names: Sequence[str], now: float) -> None:
        """Begin a tick: earlier counts fade, and coverage follows from the positions believed of each receiver: the
        last of ``believed`` that has enough of them.

        Both depend on times only, so that a recording may be played with or without the ticks of empty seconds.
        """
        before = now if self._learned_at is None else self._learned_at
        self._learned_at = now
        factor = 0.5 ** (max(now - before, 0.0) / HALF_LIFE_S)
        for reliability in self._by_name.values():
            reliability.fade(factor)
        if now // COVERAGE_EVERY_S == before // COVERAGE_EVERY_S:
            return
        for positions in believed:
            for index, name in enumerate(names):
                rows = np.flatnonzero((positions.receiver == index) & ~np.isnan(positions.lat))
                area = coverage(positions.lat[rows], positions.lon[rows])
                if area is not None:
                    self[name].coverage = area
