"""The track points that wait for the database, bounded: the oldest are dropped first."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.core.reporting.metrics import boolean_label
from skywatch.history import metrics
from skywatch.history.recording.slots import Slots
from skywatch.history.recording.thinning import THINNED_POINT, ThinnedPoints

# Limit of points in memory while the database is away: about 150 MB.
MAX_WAITING = 5_000_000


class PendingPoints:
    """Points of the flights of ``slots``, until they are committed."""

    def __init__(self, slots: Slots) -> None:
        # Those of a batch under way included.
        self.waiting = 0
        self.lost = 0
        self._slots = slots
        self._chunks: list[ThinnedPoints] = []

    def put(self, points: ThinnedPoints) -> None:
        """Add points, and drop the oldest beyond the limit."""
        if not len(points):
            return
        np.add.at(self._slots["points"], points["slot"], 1)
        count_by_military(metrics.HISTORY_POINTS, self._slots, points["slot"])
        self._chunks.append(points)
        self.waiting += len(points)
        while self.waiting > MAX_WAITING and len(self._chunks) > 1:
            lost = len(self._chunks.pop(0))
            self.waiting -= lost
            self.lost += lost
            metrics.HISTORY_LOST.inc(lost)

    def take(self) -> ThinnedPoints:
        """All points, for a batch; they count as waiting until ``committed``."""
        points = np.concatenate(self._chunks) if self._chunks else np.empty(0, THINNED_POINT)
        self._chunks.clear()
        return points

    def committed(self, points: ThinnedPoints) -> None:
        """These points are in the database."""
        self.waiting -= len(points)


def count_by_military(counter: Any, slots: Slots, slot: npt.NDArray[Any]) -> None:
    """Increment a counter by the flights of ``slot``, military ones under their own label."""
    military = int(np.count_nonzero(slots["military"][slot]))
    for is_military, count in ((False, len(slot) - military), (True, military)):
        counter.labels(boolean_label(is_military)).inc(count)
