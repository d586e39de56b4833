"""The decoder's state of each aircraft: one row of a structured array for each address and kind of source.

The same address received directly, through TIS-B, through ADS-R and as multilateration result are four aircraft here:
their position frames must not be paired with each other.
"""

from __future__ import annotations

import numpy as np

from skywatch.core.arrays import distinct
from skywatch.receivers.framing.frames import Column

# A key is the address with these flags above it, and above 32 bits the lane: frames of different lanes share no state.
NON_ICAO = 1 << 24
DIRECT, TISB, ADSR, MLAT = (kind << 25 for kind in range(4))
LANE_SHIFT = 32
# The address and its flags without the lane.
IN_LANE = (1 << LANE_SHIFT) - 1
_NO_KEY = np.iinfo(np.int64).max

LONG_AGO = -1e18  # a time that is too old for everything
TIDY_EVERY_S = 10.0
# More than any antenna hears.
LANE_CAPACITY = 2_000

# Times are unix seconds. Index 0 of cpr_* is the last even position frame, 1 the last odd one.
ROW = np.dtype(
    [
        ("key", "i8"),
        ("seen", "f8"),  # last good frame of any kind
        ("proved", "f8"),  # last frame that proves the address
        ("cpr_time", "f8", 2),
        ("cpr_lat", "i4", 2),
        ("cpr_lon", "i4", 2),
        ("cpr_limit", "f4", 2),  # how far apart (s) the frame may be from its partner
        ("cpr_surface", "?", 2),
        ("pos_time", "f8"),  # last position given out
        ("pos_lat", "f8"),
        ("pos_lon", "f8"),
        ("pos_surface", "?"),
        ("pos_since", "f8"),  # when the first of the positions that led to it was given out
        ("pos_settled", "?"),  # a pair of frames newer than that has borne it out
        ("jump_since", "f8"),  # a position elsewhere, not believed yet: when it began, and the last of it
        ("jump_time", "f8"),
        ("jump_lat", "f8"),
        ("jump_lon", "f8"),
        ("jump_pairs", "i2"),  # how many pairs have agreed on it
        ("doubts", "i2"),  # successive pairs that contradict the last position
        ("version", "i1"),
        ("nic_a", "?"),
        ("nic_c", "?"),
        ("true_heading", "?"),
        ("surface_heading", "i1"),
        ("alt_time", "f8"),  # barometric altitude of the last airborne position squitter
        ("alt_baro", "i4"),
        ("reply_alt_time", "f8"),  # barometric altitude of the last reply
        ("reply_alt_baro", "i4"),
        ("reply_squawk", "i2"),  # of the last reply, -1 for none
        ("radar_states", "u1"),  # single bits of the last reply to a radar, and to another aircraft
        ("air_states", "u1"),
        ("flight", "i8"),  # callsign of the last identification squitter, six-bit characters, 0 for none
        ("flight_reply", "i8"),  # callsign that the last Comm-B reply seemed to have
    ]
)
_BLANK = np.zeros(1, ROW)
for _name in (
    "seen",
    "proved",
    "cpr_time",
    "pos_time",
    "pos_since",
    "jump_since",
    "jump_time",
    "alt_time",
    "reply_alt_time",
):
    _BLANK[_name] = LONG_AGO
_BLANK["reply_squawk"] = -1


class AircraftTable:
    """Rows by key; rows are numbered and keep their number until ``tidy``.

    An aircraft unseen for ``forget_s`` is forgotten, and the longest unseen ones when there are more than
    ``capacity``; a batch may exceed that by the aircraft that it brings. Of a lane other than 0 at most
    ``lane_capacity`` are kept, so that nobody's invented addresses displace the aircraft of others.
    """

    def __init__(self, capacity: int, forget_s: float, lane_capacity: int = LANE_CAPACITY) -> None:
        self._capacity = capacity
        self._lane_capacity = lane_capacity
        self._forget_s = forget_s
        self._tidied = LONG_AGO
        self._set_rows(np.zeros(0, ROW))

    def __len__(self) -> int:
        return self._count

    @property
    def rows(self) -> Column:
        """The structured array of :data:`ROW`, longer than the table."""
        return self._rows

    def _set_rows(self, rows: Column) -> None:
        self._count = len(rows)
        self._rows = _with_room(rows)
        self._index()

    def _index(self) -> None:
        keys = self._rows["key"][: self._count]
        order = np.argsort(keys)
        # The largest key stands behind all others, so that a search never ends beyond them.
        self._sorted_keys = np.append(keys[order], _NO_KEY)
        self._sorted_rows = np.append(order, 0).astype(np.int32)

    def find(self, keys: Column) -> Column:
        """Row number i4[n] of each key i8[n], -1 if it is not in the table."""
        index = self._sorted_keys.searchsorted(keys)
        return np.where(self._sorted_keys[index] == keys, self._sorted_rows[index], np.int32(-1))

    def find_or_add(self, keys: Column) -> Column:
        """Row number i4[n] of each key i8[n]; a new key gets an empty row."""
        rows = self.find(keys)
        if not rows.size or rows.min() >= 0:
            return rows
        new = distinct(keys[rows < 0])
        first, last = self._count, self._count + len(new)
        if last > len(self._rows):
            self._rows = _with_room(self._rows[:first], len(new))
        self._rows[first:last] = _BLANK
        self._rows["key"][first:last] = new
        self._count = last
        # Inserted, not sorted again: with lanes nearly every batch brings one.
        places = self._sorted_keys.searchsorted(new)
        self._sorted_keys = np.insert(self._sorted_keys, places, new)
        self._sorted_rows = np.insert(self._sorted_rows, places, np.arange(first, last, dtype=np.int32))
        return self.find(keys)

    def tidy(self, now: float) -> None:
        """Drop aircraft; call it between batches, because rows are renumbered."""
        if abs(now - self._tidied) < TIDY_EVERY_S and self._count <= self._capacity:
            return
        self._tidied = now
        rows = self._rows[: self._count]
        # Time may have stepped back (another recording), so that rows of the future are old as well.
        unseen = np.abs(now - rows["seen"])
        keep = (unseen <= self._forget_s) & self._within_lanes(rows["key"] >> LANE_SHIFT, unseen)
        if np.count_nonzero(keep) > self._capacity:
            # Drops more than needed, so that it is not repeated for every new aircraft.
            keep &= unseen <= np.partition(unseen, self._capacity * 7 // 8)[self._capacity * 7 // 8]
        if not keep.all():
            self._set_rows(rows[keep][: self._capacity])

    def _within_lanes(self, lanes: Column, unseen: Column) -> Column:
        """?[n]: whether a row is of lane 0, or among the latest of its own lane."""
        if not lanes.any() or np.bincount(lanes)[1:].max(initial=0) <= self._lane_capacity:
            return np.ones(len(lanes), np.bool_)
        order = np.lexsort((unseen, lanes))
        starts = np.searchsorted(lanes[order], lanes[order])
        within = np.empty(len(lanes), np.bool_)
        within[order] = np.arange(len(lanes)) - starts < self._lane_capacity
        result: Column = within | (lanes == 0)
        return result


def _with_room(rows: Column, more: int = 0) -> Column:
    """A copy of these rows at the beginning of an array that has room for as many again."""
    roomy = np.zeros(max(64, 2 * (len(rows) + more)), ROW)
    roomy[: len(rows)] = rows
    return roomy
