"""``Hour``: what one receiver received within one hour, as sums that can be added up.

``minutes`` has a record for each minute of the hour, ``ranges`` and ``signals`` an array for each span of ten minutes:
the greatest distance in each sector (tenths of a nautical mile) and the signals by strength.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.core.geo import SECTORS, sector_of

Array = npt.NDArray[Any]

HOUR_S, MINUTE_S, SPAN_S = 3600, 60, 600
MINUTES, SPANS = HOUR_S // MINUTE_S, HOUR_S // SPAN_S
# Signals are counted by whole dBFS; weaker and stronger ones go to the first and the last bin.
WEAKEST_DBFS, BINS = -50, 50
STRONG_DBFS, WEAK_DBFS = -3.0, -33.0
RANGE_UNIT_NM = 0.1
FARTHEST = np.iinfo("u2").max

# Sums over the samples of a minute (or hour), and the greatest distance. ``seconds`` were observed; ``aircraft`` is
# the sum over so many ``samples``; ``refused`` positions were not believed.
SUMS = np.dtype(
    [
        ("seconds", "<u2"),
        ("samples", "<u2"),
        ("range", "<u2"),
        ("messages", "<u4"),
        ("positions", "<u4"),
        ("refused", "<u4"),
        ("duplicates", "<u4"),
        ("aircraft", "<u4"),
        ("signals", "<u4"),
        ("strong", "<u4"),
        ("weak", "<u4"),
    ]
)
ADDED = tuple(name for name in SUMS.names or () if name != "range")


@dataclass
class Hour:
    """See the module. ``origin`` is where distances were measured from (degrees), None where that is unknown."""

    origin: tuple[float, float] | None = None
    minutes: Array = field(default_factory=lambda: np.zeros(MINUTES, SUMS))
    ranges: Array = field(default_factory=lambda: np.zeros((SPANS, SECTORS), "<u2"))
    signals: Array = field(default_factory=lambda: np.zeros((SPANS, BINS), "<u4"))

    @property
    def is_empty(self) -> bool:
        """Whether no message was received."""
        return not self.minutes["messages"].any()

    def copy(self) -> Hour:
        """The same, which does not change any more."""
        return Hour(self.origin, self.minutes.copy(), self.ranges.copy(), self.signals.copy())

    def move(self, origin: tuple[float, float] | None) -> None:
        """Measure from another place: distances from the one before count no more."""
        self.origin = origin
        self.ranges[:] = 0
        self.minutes["range"] = 0

    def add(self, other: Hour) -> None:
        """Add another part of the same hour, measured before this one."""
        for name in ADDED:
            self.minutes[name] += other.minutes[name]
        self.signals += other.signals
        if other.origin == self.origin:
            np.maximum(self.minutes["range"], other.minutes["range"], out=self.minutes["range"])
            np.maximum(self.ranges, other.ranges, out=self.ranges)

    def count_signals(self, second: int, rssi: Array) -> None:
        """Count signals (dBFS) received at this second of the hour."""
        if not len(rssi):
            return
        bins = np.clip(np.floor(rssi).astype("i8") - WEAKEST_DBFS, 0, BINS - 1)
        self.signals[second // SPAN_S] += np.bincount(bins, minlength=BINS).astype("<u4")
        minute = self.minutes[second // MINUTE_S]
        minute["signals"] += len(rssi)
        minute["strong"] += int(np.count_nonzero(rssi > STRONG_DBFS))
        minute["weak"] += int(np.count_nonzero(rssi < WEAK_DBFS))

    def note_ranges(self, second: int, bearing_deg: Array, distance_nm: Array) -> None:
        """Note how far aircraft were at this second of the hour; bearings are 0 <= bearing < 360."""
        if not len(distance_nm):
            return
        tenths = np.minimum(np.round(distance_nm / RANGE_UNIT_NM), FARTHEST).astype("<u2")
        np.maximum.at(self.ranges[second // SPAN_S], sector_of(bearing_deg), tenths)
        minute = self.minutes[second // MINUTE_S]
        minute["range"] = max(int(minute["range"]), int(tenths.max()))


def total(minutes: Array) -> Array:
    """The sums of several minutes as one record."""
    result = np.zeros((), SUMS)
    for name in ADDED:
        result[name] = minutes[name].sum()
    result["range"] = minutes["range"].max(initial=0)
    return result
