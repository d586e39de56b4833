"""``PairTable``: what is remembered of pairs of aircraft from tick to tick, as one array sorted by pair.

A flood of thousands of pairs costs a few array operations; nothing is done pair by pair.
"""

from __future__ import annotations

import numpy as np

from skywatch.safety.detection.conflicts.reasons import REASONS
from skywatch.safety.detection.frame import Array, Frame

ENTRY = np.dtype([
    ("id", "i8"),
    ("first", "i4"),  # rows of the frame
    ("second", "i4"),
    ("since", "f8"),  # since when the rule holds
    ("last_at", "f8"),
    ("raised", "?"),
    ("own", "?"),  # it has an event of its own
    ("distinct", "?"),  # the two were once too far apart to be one aircraft and its copy
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
        first, second = row_now[entries["first"]], row_now[entries["second"]]
        is_there = (first >= 0) & (second >= 0)
        self.entries = entries[is_there]
        self.entries["first"], self.entries["second"] = np.sort((first[is_there], second[is_there]), axis=0)
        self._sort()

    def find(self, first: Array, second: Array) -> Array:
        """The entries of pairs of rows, all of which are in the table."""
        indices: Array = np.searchsorted(self.entries["id"], self._ids(first, second))
        return indices

    def take(self, first: Array, second: Array, now: float) -> Array:
        """``find``, with new entries for pairs that have none."""
        ids, present_ids = self._ids(first, second), self.entries["id"]
        index = np.searchsorted(present_ids, ids)
        new = np.flatnonzero(np.append(present_ids, -1)[index] != ids)
        if not len(new):
            return index
        added = np.zeros(len(new), ENTRY)
        added["first"], added["second"] = np.sort((first[new], second[new]), axis=0)
        begin(added, slice(None), now)
        self.entries = np.concatenate((self.entries, added))
        self._sort()
        return self.find(first, second)

    def keep(self, which: Array) -> None:
        """Drop all other entries."""
        self.entries = self.entries[which]

    def _sort(self) -> None:
        entries = self.entries
        entries["id"] = self._ids(entries["first"], entries["second"])
        self.entries = entries[np.argsort(entries["id"])]

    def _ids(self, first: Array, second: Array) -> Array:
        ids: Array = np.minimum(first, second).astype("i8") * self._size + np.maximum(first, second)
        return ids


def begin(entries: Array, which: Array | slice, now: float) -> None:
    """Make entries those of pairs that meet the rule for the first time."""
    for name, value in (("since", now), ("last_at", now), ("best_nm", np.inf), ("raised", False), ("own", False)):
        entries[name][which] = value
    entries["reasons_at"][which] = -np.inf
