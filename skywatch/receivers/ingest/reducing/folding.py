"""``Folding``: drops what a feeder alone says where independent feeders agree on it already.

What contradicts them is passed on whole and marked, so that the picture can judge it. What they have not said lately is
passed on, too. Nothing a single feeder says replaces a fresh value on which others agree.
"""

from __future__ import annotations

import numpy as np

from skywatch.core.arrays import distinct
from skywatch.receivers.framing.frames import Column
from skywatch.receivers.ingest.reducing.columns import ALT_BARO, FIELD, FIELDS, GS, LANE_SHIFT, LAT, LON, ReportColumns
from skywatch.receivers.mode_s.content.values import ON_GROUND_ALT
from skywatch.receivers.mode_s.position.plausibility import distance_nm

# How long an agreed value needs nobody else's: what changes every second, and the rest (s).
FRESH_S, SLOW_FRESH_S = 3.0, 15.0
FAST = ("lat", "lon", "alt_baro", "alt_geom", "gs", "track", "baro_rate", "geom_rate", "nic", "rc")
# Agreed values older than this are forgotten (s).
FORGET_S = 60.0
# What two feeders may differ by: scatter (nm), climb (ft/s, ft), acceleration (kt/s, kt).
SCATTER_NM, SLOWEST_KT, SPEED_FACTOR = 0.3, 200.0, 4 / 3
ALTITUDE_FT, CLIMB_FT_S = 300.0, 100.0
SPEED_KT, ACCELERATION_KT_S = 40.0, 5.0
EQUAL = ("flight", "squawk", "emergency")
_FRESH = np.array([FRESH_S if name in FAST else SLOW_FRESH_S for name in FIELDS])
_IN_LANE = (1 << LANE_SHIFT) - 1


class Folding:
    """The agreed values of the last minute: of each address and source, with the time of each."""

    def __init__(self) -> None:
        self._key = np.empty(0, np.int64)
        self._values = np.empty((0, len(FIELDS)))
        self._at = np.empty((0, len(FIELDS)))

    def fold(self, reports: ReportColumns) -> ReportColumns:
        """The reports without what is agreed already; each single feeder's messages are counted all the same."""
        if not len(reports):
            return reports
        is_agreed = reports.lane == 0
        agreed, alone = reports[is_agreed], reports[~is_agreed]
        self._learn(agreed, float(reports.at.max()))
        if not len(alone) or not len(self._key):
            return reports
        in_lane = alone.key & _IN_LANE
        place = np.minimum(self._key.searchsorted(in_lane), len(self._key) - 1)
        covered = np.flatnonzero(self._key[place] == in_lane)
        if not len(covered):
            return reports
        place, rows = place[covered], alone[covered]
        contradicts = self._contradicts(rows, place)
        alone.is_dissent[covered[contradicts]] = True
        fresh = rows.at[:, None] - self._at[place] <= _FRESH
        folded = np.where(fresh & ~contradicts[:, None], np.nan, rows.values)
        alone.values[covered] = folded
        without_position = np.isnan(folded[:, LAT])
        alone.position_at[covered[without_position]] = 0.0
        is_empty = np.isnan(folded).all(1) & (rows.acas_ra == 0)
        keep = np.ones(len(alone), np.bool_)
        keep[covered[is_empty]] = False
        return ReportColumns.concatenate([_counted(agreed, rows[is_empty]), alone[keep]])

    def _learn(self, agreed: ReportColumns, now: float) -> None:
        alive = self._at.max(1, initial=-np.inf) >= now - FORGET_S
        key = distinct(np.concatenate((self._key[alive], agreed.key)))
        values, at = np.full((len(key), len(FIELDS)), np.nan), np.full((len(key), len(FIELDS)), -np.inf)
        before = key.searchsorted(self._key[alive])
        values[before], at[before] = self._values[alive], self._at[alive]
        rows, fields = np.nonzero(~np.isnan(agreed.values))
        places = key.searchsorted(agreed.key)
        times = np.repeat(agreed.at[:, None], len(FIELDS), 1)
        times[:, LAT] = times[:, LON] = agreed.position_at
        values[places[rows], fields] = agreed.values[rows, fields]
        at[places[rows], fields] = times[rows, fields]
        self._key, self._values, self._at = key, values, at

    def _contradicts(self, rows: ReportColumns, place: Column) -> Column:
        """?[n]: whether a single feeder's report contradicts the agreed values."""
        agreed, at = self._values[place], self._at[place]
        mine = rows.values
        elapsed = np.abs(rows.position_at - at[:, LAT])
        speed = np.fmax(np.fmax(agreed[:, GS], mine[:, GS]) * SPEED_FACTOR, SLOWEST_KT)
        with np.errstate(invalid="ignore"):
            apart = distance_nm(agreed[:, LAT], agreed[:, LON], mine[:, LAT], mine[:, LON])
            result = apart > SCATTER_NM + speed * (np.nan_to_num(elapsed, posinf=0.0) + 1.0) / 3600
            age = np.abs(rows.at[:, None] - at)
            ground = agreed[:, ALT_BARO] == ON_GROUND_ALT, mine[:, ALT_BARO] == ON_GROUND_ALT
            climbed = np.abs(agreed[:, ALT_BARO] - mine[:, ALT_BARO]) > ALTITUDE_FT + CLIMB_FT_S * age[:, ALT_BARO]
            result |= climbed & (ground[0] == ground[1])
            result |= np.abs(agreed[:, GS] - mine[:, GS]) > SPEED_KT + ACCELERATION_KT_S * age[:, GS]
        for name in EQUAL:
            ours, theirs = agreed[:, FIELD[name]], mine[:, FIELD[name]]
            result |= ~np.isnan(ours) & ~np.isnan(theirs) & (ours != theirs)
        return np.asarray(result)


def _counted(agreed: ReportColumns, folded: ReportColumns) -> ReportColumns:
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
    more = ReportColumns.blank(key[~has], latest[~has])
    more.messages[:] = messages[~has]
    more.voices[:] = 2
    return ReportColumns.concatenate([agreed, more])
