"""``Reducer``: the newest value of each field of a second, for each aircraft, source and lane.

A source has reports of its own: the picture trusts the fields of an aircraft's broadcasts more than those of its
replies, and would not know which is which in a report of both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skywatch.core.arrays import distinct
from skywatch.receivers.feeder_streams.reducer.columns import (
    ADDRESS_BITS,
    AGREED,
    FIELD,
    LANE_SHIFT,
    SOURCE_SHIFT,
    AloneFrames,
    Heard,
    ReducedColumns,
)
from skywatch.receivers.feeder_streams.reducer.divided import IN_SECOND
from skywatch.receivers.feeder_streams.reducer.feeder_numbers import FeederNumbers
from skywatch.receivers.feeder_streams.reducer.redundancy_filter import FAST
from skywatch.receivers.feeder_streams.voices import count_voices
from skywatch.receivers.framing.frames import Column
from skywatch.receivers.mode_s.aircraft_table import NON_ICAO
from skywatch.receivers.mode_s.decoded import Decoded, Status
from skywatch.receivers.mode_s.values import ON_GROUND_ALT

# Replies to radars and other aircraft: their altitude on the ground is that of the airfield.
_IS_REPLY = np.zeros(32, np.bool_)
_IS_REPLY[[0, 4, 5, 11, 16, 20, 21]] = True
NO_KEY = -1
# A report covers a second, after a process stood still more (s).
SPAN_S = 1.5
_ALL_CALL = 11


class Taken(NamedTuple):
    """The reports of a second, who heard which aircraft, and what single feeders sent."""

    reports: ReducedColumns
    heard: Heard
    alone: AloneFrames


class Reducer:
    """Collects decoded gatherings; ``take`` reduces what has come since. ``is_ours`` is the kind of its feeders."""

    def __init__(self, slots: FeederNumbers, *, is_ours: bool = False) -> None:
        self._slots, self._is_ours = slots, is_ours
        self._begin()

    def _begin(self) -> None:
        self._count = 0
        self._key: list[Column] = []
        self._time: list[Column] = []
        self._rssi: list[Column] = []
        self._is_repeat: list[Column] = []
        self._fields: dict[str, list[tuple[Column, Column]]] = {}
        self._heard: list[tuple[Column, Column, Column, Column]] = []
        self._alone: list[AloneFrames] = []

    def add(self, decoded: Decoded, lanes: Column, is_repeat: Column) -> tuple[Column, Column]:
        """Add a gathering; returns the key of each frame's report i8[n] (-1: none), and whether it gave a position."""
        key = (
            (lanes << LANE_SHIFT) | (decoded.source.astype(np.int64) << SOURCE_SHIFT)
            | np.where(decoded.non_icao, NON_ICAO, 0) | decoded.address
        )  # fmt: skip
        key[decoded.status != Status.GOOD] = NO_KEY
        is_position = np.zeros(len(key), np.bool_)
        for rows, _ in decoded.fields.get("lat", ()):
            is_position[rows] = True
        self._key.append(key)
        self._time.append(decoded.time)
        self._rssi.append(decoded.frames.rssi)
        self._is_repeat.append(is_repeat)
        for name, pieces in decoded.fields.items():
            if name != "on_ground":
                mine = self._fields.setdefault(name, [])
                mine += [(rows + self._count, values) for rows, values in pieces]
        for rows, values in decoded.fields.get("on_ground", ()):
            grounded = rows[values.astype(np.bool_) & _IS_REPLY[decoded.df[rows]]]
            if len(grounded):
                ground = np.full(len(grounded), ON_GROUND_ALT)
                self._fields.setdefault("alt_baro", []).append((grounded + self._count, ground))
        alone = np.flatnonzero((lanes > 0) & (key != NO_KEY))
        if len(alone):
            frames = decoded.frames
            self._alone.append(AloneFrames(key[alone], decoded.time[alone], frames.data[alone], frames.length[alone]))
        self._count += len(key)
        return key, is_position

    def hear(self, key: Column, slot: Column, rssi: Column, is_position: Column) -> None:
        """Add hearers of reports, which are known by their keys."""
        self._heard.append((key, slot, rssi, is_position))

    def take(self) -> Taken:
        """What was added since the last time."""
        if not self._count:
            nothing = ReducedColumns.blank(np.empty(0, np.int64), np.empty(0))
            heard = self._hearers(nothing)
            self._begin()
            return Taken(nothing, heard, AloneFrames.concatenate([]))
        keys, time = np.concatenate(self._key), np.concatenate(self._time)
        order = np.argsort(time, kind="stable")
        order = order[keys[order] != NO_KEY]
        key, inverse = np.unique(keys[order], return_inverse=True)
        # The report of each frame, and its place in time: what comes last remains.
        report, place = np.full(len(keys), -1), np.full(len(keys), -1)
        report[order], place[order] = inverse, np.arange(len(order))
        reports = ReducedColumns.blank(key, np.zeros(len(key)))
        reports.at[inverse] = time[order]
        once = ~np.concatenate(self._is_repeat)[order]
        reports.messages[:] = np.bincount(inverse, once, len(key))
        rssi = np.concatenate(self._rssi)[order]
        measured = np.flatnonzero(~np.isnan(rssi))
        reports.rssi[inverse[measured]] = rssi[measured]
        for name, pieces in self._fields.items():
            self._fill(reports, name, pieces, time, report, place)
        heard, alone = self._hearers(reports), _without_repeats(AloneFrames.concatenate(self._alone))
        self._begin()
        return Taken(reports, heard, alone)

    @staticmethod
    def _fill(
        reports: ReducedColumns, name: str, pieces: list[tuple[Column, Column]], time: Column, report: Column,
        place: Column,
    ) -> None:  # fmt: skip
        rows = np.concatenate([rows for rows, _ in pieces])
        values = np.concatenate([values for _, values in pieces])
        in_order = np.argsort(place[rows], kind="stable")
        rows, values = rows[in_order], values[in_order]
        good = report[rows] >= 0
        if name in FAST and name not in ("lat", "lon"):
            # A report has one time: what changes every second is not dated by what came later.
            good &= time[rows] >= reports.at[report[rows]] - SPAN_S
        rows, values = rows[good], values[good]
        if name == "acas_ra":
            reports.acas_ra[report[rows]] = values
            reports.acas_ra_frames[:] = np.bincount(report[rows], minlength=len(reports))
        elif name in FIELD:
            reports.values[report[rows], FIELD[name]] = values
            if name in IN_SECOND:
                Reducer._note_contradictions(reports, name, report[rows], values)
        if name == "lat":
            reports.position_at[report[rows]] = time[rows]

    @staticmethod
    def _note_contradictions(reports: ReducedColumns, name: str, report: Column, values: Column) -> None:
        """Mark agreed reports of which the first value of the second contradicts the last, and leave that out."""
        place = FIELD[name]
        first = np.full(len(reports), np.nan)
        first[report[::-1]] = values[::-1]
        last = reports.values[:, place]
        with np.errstate(invalid="ignore"):
            differs = (np.abs(last - first) > IN_SECOND[name]) & (reports.lane == AGREED)
        if name == "alt_baro":
            differs &= (first == ON_GROUND_ALT) == (last == ON_GROUND_ALT)
        reports.values[differs, place] = np.nan
        reports.is_dissent |= differs

    def _count_voices(self, reports: ReducedColumns, key: Column, slot: Column) -> None:
        place = np.minimum(reports.key.searchsorted(key), len(reports) - 1)
        # Strangers that heard what ours sent add nothing to it.
        agreed = np.flatnonzero(
            (reports.key[place] == key) & (key >> LANE_SHIFT == 0) & (self._slots.is_ours[slot] == self._is_ours)
        )
        pairs = distinct((place[agreed] << 20) | slot[agreed])
        rows, slots = pairs >> 20, pairs & 0xFFFFF
        voices = count_voices(rows, self._slots.speaker[slots], self._slots.network[slots], len(reports))
        is_agreed = reports.lane == 0
        reports.voices[is_agreed] = np.maximum(voices[is_agreed], 2)

    def _hearers(self, reports: ReducedColumns) -> Heard:
        """Sets ``voices``; who heard which aircraft, whatever the lane and the source."""
        if not self._heard:
            return Heard.nothing()
        key, slot, rssi, is_position = (np.concatenate(column) for column in zip(*self._heard, strict=True))
        good = np.flatnonzero(key != NO_KEY)
        if not len(good):
            return Heard.nothing()
        key, slot, rssi, is_position = key[good], slot[good].astype(np.int64), rssi[good], is_position[good]
        if len(reports):
            self._count_voices(reports, key, slot)
        pair = ((key & ADDRESS_BITS) << 20) | slot
        order = np.argsort(pair, kind="stable")
        starts = np.flatnonzero(np.diff(pair[order], prepend=-1))
        return Heard(
            address=key[order[starts]] & ADDRESS_BITS,
            feeder=self._slots.lane[slot[order[starts]]],
            rssi=np.fmax.reduceat(rssi[order], starts).astype(np.float32),
            has_position=np.logical_or.reduceat(is_position[order], starts),
        )


def _without_repeats(alone: AloneFrames) -> AloneFrames:
    """Of the all-call replies of an aircraft, which are always the same, the last one."""
    all_calls = np.flatnonzero(alone.data[:, 0] >> 3 == _ALL_CALL)
    if not len(all_calls):
        return alone
    keep = np.ones(len(alone), np.bool_)
    keep[all_calls] = False
    _, from_behind = np.unique(alone.key[all_calls[::-1]], return_index=True)
    keep[all_calls[::-1][from_behind]] = True
    return alone[keep]
