"""Positions of a whole batch: pairing, decoding and checking position frames of many aircraft at once.

Nearly every aircraft has a simple history in a batch: its position is settled, it is in the air, and every position
is within reach of the one before. Those are resolved together on columns; so are the first frames of those whose
position is not settled yet, one frame of each aircraft after the other (``begin.py``). An aircraft for which anything
else shows is walked through frame by frame (``walk.py``), from the same state and with the same formulas, so that the
result never depends on how the frames were cut into batches.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from skywatch.receivers.framing.frames import Column
from skywatch.receivers.mode_s.aircraft_table import LANE_SHIFT, LONG_AGO
from skywatch.receivers.mode_s.position import plausibility as limits
from skywatch.receivers.mode_s.position.begin import begin_together
from skywatch.receivers.mode_s.position.cpr import local_position, positions_of_pairs
from skywatch.receivers.mode_s.position.frames import PositionFrames
from skywatch.receivers.mode_s.position.walk import PositionFrame, Walk
from skywatch.receivers.mode_s.statistics import PositionCounts

Station = tuple[float, float]
# So few aircraft are walked through sooner than resolved together.
FEW = 2
NO_PLACES: Mapping[int, Station] = MappingProxyType({})


class _Groups(NamedTuple):
    """The frames of each aircraft: where they start, and for each frame where its aircraft's frames start."""

    starts: Column
    start_of: Column
    group_of: Column

    @property
    def ends(self) -> Column:
        """Where the frames of each aircraft end."""
        return np.append(self.starts[1:], len(self.start_of))

    def pieces(self, chosen: Column) -> list[slice]:
        """The indices of the frames of the chosen aircraft."""
        return _slices(self.starts[chosen], self.ends[chosen])


class Resolver:
    """Resolves position frames; the state of each aircraft is in the table's rows that each call is given.

    ``places`` are references of lanes for what is on the ground, instead of the station.
    """

    def __init__(
        self,
        station: Station | None,
        max_range_nm: float,
        counts: PositionCounts,
        places: Mapping[int, Station] = NO_PLACES,
    ) -> None:
        self.counts = counts
        self._places = places
        self._station = station
        self._max_range_nm = max_range_nm

    def resolve(self, frames: PositionFrames, rows: Column) -> tuple[Column, Column, Column]:
        """Resolve at least one frame and update the table's ``rows``.

        Returns resolved ?[n], and latitude and longitude f8[n] (deg), which are only to be read where it is true.
        """
        surface = int(np.count_nonzero(frames.surface))
        self.counts.surface += surface
        self.counts.airborne += len(frames.surface) - surface
        settled = rows["pos_settled"][frames.aircraft]
        if settled.all():
            return self._resolve_settled(frames, rows)
        resolved, lat, lon = np.zeros(len(settled), np.bool_), np.zeros(len(settled)), np.zeros(len(settled))
        self._settle(frames, rows, settled, resolved, lat, lon)
        remaining = settled.nonzero()[0]
        if len(remaining):
            resolved[remaining], lat[remaining], lon[remaining] = self._resolve_settled(frames.pick(remaining), rows)
        return resolved, lat, lon

    def _settle(
        self, frames: PositionFrames, rows: Column, settled: Column, resolved: Column, lat: Column, lon: Column
    ) -> None:
        """Resolve frames of aircraft until their positions are settled; changes the last four columns in place."""
        groups = _group(frames.aircraft)
        unsettled = ~settled[groups.starts]
        first, end = groups.starts[unsettled], groups.ends[unsettled]
        while len(first) > FEW:
            is_simple = begin_together(
                frames, first, rows, self._station, self._max_range_nm, self.counts, resolved, lat, lon
            )
            self._walk_until_settled(
                frames, _slices(first[~is_simple], end[~is_simple]), rows, settled, resolved, lat, lon
            )
            first, end = first[is_simple] + 1, end[is_simple]
            is_settled = rows["pos_settled"][frames.aircraft[first - 1]]
            for piece in _slices(first[is_settled], end[is_settled]):
                settled[piece] = True
            goes_on = ~is_settled & (first < end)
            first, end = first[goes_on], end[goes_on]
        self._walk_until_settled(frames, _slices(first, end), rows, settled, resolved, lat, lon)

    def _walk_until_settled(
        self, frames: PositionFrames, pieces: list[slice], rows: Column, settled: Column, resolved: Column, lat: Column,
        lon: Column,
    ) -> None:  # fmt: skip
        for piece in pieces:
            settled[self._walk_through(frames, piece, rows, resolved, lat, lon, until_settled=True) : piece.stop] = True

    def _resolve_settled(self, frames: PositionFrames, rows: Column) -> tuple[Column, Column, Column]:
        groups = _group(frames.aircraft)
        lat, lon, by_pair, alone, irregular = self._all_at_once(frames, groups, rows)
        walk = np.logical_or.reduceat(irregular, groups.starts)
        if not walk.any():
            _remember(frames, rows, by_pair | alone, lat, lon)
            self._count(by_pair, alone)
            return by_pair | alone, lat, lon
        simple = (~walk[groups.group_of]).nonzero()[0]
        resolved = np.zeros(len(lat), np.bool_)
        resolved[simple] = by_pair[simple] | alone[simple]
        _remember(frames.pick(simple), rows, resolved[simple], lat[simple], lon[simple])
        self._count(by_pair[simple], alone[simple])
        for piece in groups.pieces(walk):
            self._walk_through(frames, piece, rows, resolved, lat, lon)
        return resolved, lat, lon

    def _count(self, by_pair: Column, alone: Column) -> None:
        paired, single = int(np.count_nonzero(by_pair)), int(np.count_nonzero(alone))
        self.counts.by_pair += paired
        self.counts.alone += single
        self.counts.unresolved += len(by_pair) - paired - single

    def _all_at_once(
        self, frames: PositionFrames, groups: _Groups, rows: Column
    ) -> tuple[Column, Column, Column, Column, Column]:
        """Latitude, longitude, resolved by pair, resolved alone, and whether a frame breaks the simple case."""
        aircraft, time = frames.aircraft, frames.time
        index = np.arange(len(time))
        lat, lon, by_pair = _by_pair(frames, groups, rows, index)
        # The last position: of an earlier pair of this batch, or the one that was carried over.
        known_time, known_lat, known_lon = (rows[f"pos_{name}"][aircraft] for name in ("time", "lat", "lon"))
        irregular = (
            frames.surface
            | rows["pos_surface"][aircraft]
            | (rows["jump_time"][aircraft] != LONG_AGO)
            | (rows["doubts"][aircraft] != 0)
        )
        alone = np.zeros(len(time), np.bool_)
        single = (~by_pair).nonzero()[0]
        if len(single):
            _alone(
                frames, groups, index, single, (known_time, known_lat, known_lon), lat, lon, by_pair, alone, irregular
            )
        resolved = by_pair | alone
        # Each position must be within reach of the one before, which must not have been dropped.
        before = _latest(resolved, index, groups.start_of, strictly=True)
        in_batch = before >= 0
        last_time = np.where(in_batch, time[before], known_time)
        last_lat = np.where(in_batch, lat[before], known_lat)
        last_lon = np.where(in_batch, lon[before], known_lon)
        elapsed = np.abs(time - last_time)
        too_far = limits.distance_nm(last_lat, last_lon, lat, lon) > limits.airborne_reach_nm(elapsed)
        irregular |= resolved & (too_far | (elapsed > limits.MEMORY_S))
        if self._station is not None:
            station_lat, station_lon = self._station
            range_nm = limits.distance_nm(station_lat, station_lon, lat, lon)
            irregular |= resolved & (range_nm > self._max_range_nm)
        return lat, lon, by_pair, alone, irregular

    def _walk_through(
        self,
        frames: PositionFrames,
        piece: slice,
        rows: Column,
        resolved: Column,
        lat: Column,
        lon: Column,
        until_settled: bool = False,
    ) -> int:
        """Resolve one aircraft's frames one by one; changes the three columns in place, returns the next index."""
        row = rows[frames.aircraft[piece.start]]
        station = self._places.get(int(row["key"]) >> LANE_SHIFT, self._station) if self._places else self._station
        walk = Walk(row, station, self._max_range_nm, self.counts)
        columns = (column[piece].tolist() for column in frames[1:])
        stop: int = piece.start
        for stop, frame in enumerate(zip(*columns, strict=True), piece.start + 1):
            position = walk.step(PositionFrame(*frame))
            if position is not None:
                resolved[stop - 1] = True
                lat[stop - 1], lon[stop - 1] = position
            if until_settled and walk.settled:
                break
        walk.save()
        return stop


def _slices(starts: Column, ends: Column) -> list[slice]:
    return [slice(start, end) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def _group(aircraft: Column) -> _Groups:
    begins = np.empty(len(aircraft), np.bool_)
    begins[0] = True
    np.not_equal(aircraft[1:], aircraft[:-1], out=begins[1:])
    starts = begins.nonzero()[0]
    group_of = np.cumsum(begins) - 1
    return _Groups(starts, starts[group_of], group_of)


def _latest(mask: Column, index: Column, start_of: Column, strictly: bool = False) -> Column:
    """For each frame the last one of its aircraft, up to or strictly before it, where ``mask`` is true; else -1."""
    latest = np.maximum.accumulate(np.where(mask, index, -1))
    if strictly:
        latest[1:] = latest[:-1].copy()
        latest[0] = -1
    return np.where(latest >= start_of, latest, -1)


def _by_pair(frames: PositionFrames, groups: _Groups, rows: Column, index: Column) -> tuple[Column, Column, Column]:
    """Positions from each frame and the last one of the other parity: latitude, longitude, whether there is one."""
    odd = frames.odd
    is_odd = odd.astype(np.bool_)
    last_even = np.maximum.accumulate(np.where(is_odd, -1, index))
    last_odd = np.maximum.accumulate(np.where(is_odd, index, -1))
    partner = np.where(is_odd, last_even, last_odd)
    lat_code, lon_code = frames.lat_code[partner], frames.lon_code[partner]
    partner_time, limit = frames.time[partner], np.minimum(frames.limit, frames.limit[partner])
    same_kind = frames.surface[partner] == frames.surface
    carried = (partner < groups.start_of).nonzero()[0]
    if len(carried):
        slot = (frames.aircraft[carried], 1 - odd[carried])
        lat_code[carried], lon_code[carried] = rows["cpr_lat"][slot], rows["cpr_lon"][slot]
        partner_time[carried] = rows["cpr_time"][slot]
        limit[carried] = np.minimum(frames.limit[carried], rows["cpr_limit"][slot])
        same_kind[carried] = rows["cpr_surface"][slot] == frames.surface[carried]
    lat, lon, is_pair = positions_of_pairs(frames.lat_code, frames.lon_code, odd, lat_code, lon_code)
    return lat, lon, is_pair & same_kind & (np.abs(frames.time - partner_time) <= limit)


def _alone(
    frames: PositionFrames,
    groups: _Groups,
    index: Column,
    single: Column,
    last_positions: tuple[Column, Column, Column],
    lat: Column,
    lon: Column,
    by_pair: Column,
    alone: Column,
    irregular: Column,
) -> None:
    """Decode frames without a partner relative to the last position; changes the last four columns in place.

    Any position within half a zone gives the same result, so that the last one by pair serves as well as the very
    last one. Where it is too old for that, only walking through the frames can tell.
    """
    reference = _latest(by_pair, index, groups.start_of)[single]
    in_batch = reference >= 0
    known_time, known_lat, known_lon = (column[single] for column in last_positions)
    age = np.abs(frames.time[single] - np.where(in_batch, frames.time[reference], known_time))
    fresh = age <= limits.AIRBORNE_LOCAL_S
    irregular[single] |= ~fresh & (in_batch | (known_time != LONG_AGO))
    near_lat, near_lon = local_position(
        frames.lat_code[single],
        frames.lon_code[single],
        frames.odd[single],
        np.where(in_batch, lat[reference], known_lat),
        np.where(in_batch, lon[reference], known_lon),
        360.0,
    )
    irregular[single] |= fresh & (np.abs(near_lat) > 90.0)
    lat[single], lon[single] = near_lat, near_lon
    alone[single] = fresh


def _remember(frames: PositionFrames, rows: Column, resolved: Column, lat: Column, lon: Column) -> None:
    """Carry the last frames and positions over to the next batch; for repeated rows the last one remains."""
    slot = (frames.aircraft, frames.odd)
    rows["cpr_time"][slot] = frames.time
    rows["cpr_lat"][slot] = frames.lat_code
    rows["cpr_lon"][slot] = frames.lon_code
    rows["cpr_limit"][slot] = frames.limit
    rows["cpr_surface"][slot] = frames.surface
    aircraft = frames.aircraft[resolved]
    rows["pos_time"][aircraft] = frames.time[resolved]
    rows["pos_lat"][aircraft] = lat[resolved]
    rows["pos_lon"][aircraft] = lon[resolved]
    rows["pos_surface"][aircraft] = False
