"""``PairTable``: what is remembered of pairs of aircraft from tick to tick, as one array sorted by pair.

A flood of thousands of pairs costs a few array operations; nothing is done pair by pair.
"""

from __future__ import annotations

import numpy as np

from skywatch.safety.detection.frame import Array, Frame
from skywatch.safety.detection.meeting.reasons import REASONS

ENTRY = np.dtype([
    ("id", "i8"),
    ("one", "i4"),  # rows of the frame
    ("two", "i4"),
    ("since", "f8"),  # since when the rule holds
    ("last_at", "f8"),
    ("raised", "?"),
    ("own", "?"),  # it has an event of its own
    ("best_at", "f8"),  # when and how near the two have come
    ("best_nm", "f8"),
    ("best_ft", "f8"),
    ("reasons_at", "f8", (len(REASONS),)),  # when each reason to hold the pair back applied last
])  # fmt: skip


class PairTable:
    """Entries of pairs of rows. The order of entries changes with ``carry``, ``take`` and ``keep``."""

    def __init__(self) -> None:
        self.entries: Array = np.empty(0, ENTRY)
        self._size = 0

    def carry(self, frame: Frame) -> None:
        """Move to the rows of a frame; pairs with an aircraft that has gone are dropped."""
        row_now = np.full(self._size + 1, -1, "i4")
        before = frame.previous_row
        stayed = np.flatnonzero((before >= 0) & (before < self._size))
        row_now[before[stayed]] = stayed
        self._size = len(frame)
        entries = self.entries
        one, two = row_now[entries["one"]], row_now[entries["two"]]
        is_there = (one >= 0) & (two >= 0)
        self.entries = entries[is_there]
        self.entries["one"], self.entries["two"] = np.sort((one[is_there], two[is_there]), axis=0)
        self._sort()

    def find(self, one: Array, two: Array) -> Array:
        """The entries of pairs of rows, all of which are in the table."""
        found: Array = np.searchsorted(self.entries["id"], self._ids(one, two))
        return found

    def take(self, one: Array, two: Array, now: float) -> Array:
        """``find``, with new entries for pairs that have none."""
        ids, known = self._ids(one, two), self.entries["id"]
        place = np.searchsorted(known, ids)
        new = np.flatnonzero(np.append(known, -1)[place] != ids)
        if not len(new):
            return place
        added = np.zeros(len(new), ENTRY)
        added["one"], added["two"] = np.sort((one[new], two[new]), axis=0)
        begin(added, slice(None), now)
        self.entries = np.concatenate((self.entries, added))
        self._sort()
        return self.find(one, two)

    def keep(self, which: Array) -> None:
        """Drop all other entries."""
        self.entries = self.entries[which]

    def _sort(self) -> None:
        entries = self.entries
        entries["id"] = self._ids(entries["one"], entries["two"])
        self.entries = entries[np.argsort(entries["id"])]

    def _ids(self, one: Array, two: Array) -> Array:
        ids: Array = np.minimum(one, two).astype("i8") * self._size + np.maximum(one, two)
        return ids


def begin(entries: Array, which: Array | slice, now: float) -> None:
    """Make entries those of pairs that meet the rule for the first time."""
    for name, value in (("since", now), ("last_at", now), ("best_nm", np.inf), ("raised", False), ("own", False)):
        entries[name][which] = value
    entries["reasons_at"][which] = -np.inf
