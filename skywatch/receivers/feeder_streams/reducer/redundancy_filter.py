"""``RedundancyFilter``: drops what a feeder alone says where independent feeders agree on it already.

What contradicts them is passed on whole and marked, so that the picture can judge it. What they have not said lately is
passed on, too. Nothing a single feeder says replaces a fresh value on which others agree.
"""

from __future__ import annotations

import numpy as np

from skywatch.receivers.feeder_streams.reducer.columns import FIELDS, LANE_SHIFT, LAT, ReducedColumns
from skywatch.receivers.feeder_streams.reducer.divided import (
    MOVING,
    POSITION,
    STEADY_S,
    SUBJECTS,
    DividedAircraft,
    LastSaid,
    contradictions,
)

# How long an agreed value needs nobody else's: what changes every second, and the rest (s).
FRESH_S, SLOW_FRESH_S = 3.0, 15.0
FAST = ("lat", "lon", "alt_baro", "alt_geom", "gs", "track", "baro_rate", "geom_rate", "nic", "rc")
# Agreed values older than this are forgotten (s).
FORGET_S = 60.0
_FRESH = np.array([FRESH_S if name in FAST else SLOW_FRESH_S for name in FIELDS])
_IN_LANE = (1 << LANE_SHIFT) - 1


class RedundancyFilter:
    """The agreed values of the last minute: of each address and source, with the time of each.

    Nothing is agreed of the aircraft in ``divided``, to which those are added on which feeders agree in two groups.
    """

    def __init__(self) -> None:
        self.divided = DividedAircraft()
        self._said = LastSaid()

    def filter(self, reports: ReducedColumns) -> ReducedColumns:
        """The reports without what is agreed already; each single feeder's messages are counted all the same."""
        if not len(reports):
            return reports
        now = float(reports.at.max())
        is_agreed = reports.lane == 0
        agreed, alone = reports[is_agreed], reports[~is_agreed]
        self._divide(agreed, now)
        self.divided.look(alone, now)
        is_divided = self.divided.mask(agreed.address)
        self._said.forget(self.divided.mask(self._said.key))
        agreed_on = agreed[~is_divided] if is_divided.any() else agreed
        self._said.learn(agreed_on.key, agreed_on, now - FORGET_S)
        agreed.voices[~is_divided] = self._said.voices[self._said.key.searchsorted(agreed_on.key)]
        if not len(alone) or not len(self._said.key):
            return ReducedColumns.concatenate([agreed, alone])
        in_lane = alone.key & _IN_LANE
        key = self._said.key
        place = np.minimum(key.searchsorted(in_lane), len(key) - 1)
        covered = np.flatnonzero((key[place] == in_lane) & ~self.divided.mask(alone.address))
        if not len(covered):
            return ReducedColumns.concatenate([agreed, alone])
        place, rows = place[covered], alone[covered]
        contradicts = np.asarray(contradictions(rows, self._said.values[place], self._said.at[place]).any(1))
        alone.is_dissent[covered[contradicts]] = True
        fresh = rows.at[:, None] - self._said.at[place] <= _FRESH
        folded = np.where(fresh & ~contradicts[:, None], np.nan, rows.values)
        alone.values[covered] = folded
        without_position = np.isnan(folded[:, LAT])
        alone.position_at[covered[without_position]] = 0.0
        is_empty = np.isnan(folded).all(1) & (rows.acas_ra == 0)
        keep = np.ones(len(alone), np.bool_)
        keep[covered[is_empty]] = False
        return ReducedColumns.concatenate([_counted(agreed, rows[is_empty]), alone[keep]])

    def _divide(self, agreed: ReducedColumns, now: float) -> None:
        """Take out of agreed reports what contradicts the ones before; such an aircraft is divided from now on.

        What was agreed for a while keeps its voices beside those of single feeders, but for what an aircraft may change
        from one second to the next.
        """
        key = self._said.key
        before = np.zeros(len(agreed), np.uint8)
        if len(key):
            place = np.minimum(key.searchsorted(agreed.key), len(key) - 1)
            known = np.flatnonzero(key[place] == agreed.key)
            place = place[known]
            against = contradictions(agreed[known], self._said.values[place], self._said.at[place])
            for subject, fields in enumerate(SUBJECTS):
                rows = known[against[:, subject]]
                for field in fields:
                    agreed.values[rows, field] = np.nan
                if fields is POSITION:
                    agreed.position_at[rows] = 0.0
            has_changed = against.any(1)
            voices = np.where(now - self._said.since[place] >= STEADY_S, self._said.voices[place], 0)
            before[known] = np.where(has_changed & ~against[:, MOVING].any(1), np.minimum(voices, 1), voices)
            agreed.is_dissent[known] |= has_changed
        self.divided.add(agreed.address[agreed.is_dissent], now)
        is_divided = self.divided.mask(agreed.address)
        agreed.voices[is_divided], agreed.is_dissent[is_divided] = before[is_divided], True


def _counted(agreed: ReducedColumns, folded: ReducedColumns) -> ReducedColumns:
    """The agreed reports with the messages of those that were folded into them."""
    if not len(folded):
        return agreed
    key, inverse = np.unique(folded.key & _IN_LANE, return_inverse=True)
    latest = np.zeros(len(key))
    np.maximum.at(latest, inverse, folded.at)
    messages = np.bincount(inverse, folded.messages, len(key)).astype(np.int32)
    place = np.minimum(agreed.key.searchsorted(key), len(agreed) - 1) if len(agreed) else np.zeros(len(key), np.int64)
    has = agreed.key[place] == key if len(agreed) else np.zeros(len(key), np.bool_)
    agreed.messages[place[has]] += messages[has]
    agreed.at[place[has]] = np.maximum(agreed.at[place[has]], latest[has])
    more = ReducedColumns.blank(key[~has], latest[~has])
    more.messages[:] = messages[~has]
    more.voices[:] = 2
    return ReducedColumns.concatenate([agreed, more])
