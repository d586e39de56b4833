"""Resolving positions of one aircraft frame by frame: the rules in full.

``positions.py`` decodes whole batches at once and comes here for every aircraft whose history is not simple: on
the surface, with a position that jumps, out of range, or with two transmitters under one address. For a simple
history both give the same.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from skywatch.receivers.mode_s.aircraft_table import LONG_AGO
from skywatch.receivers.mode_s.position import plausibility as limits
from skywatch.receivers.mode_s.position.cpr import (
    global_latitudes,
    global_longitude,
    local_position,
    longitude_zones,
    wrap_longitude,
)
from skywatch.receivers.mode_s.statistics import PositionCounts

Position = tuple[float, float]


class PositionFrame(NamedTuple):
    """One position frame; fields as in the table."""

    time: float
    odd: int
    lat_code: int
    lon_code: int
    limit: float
    surface: bool


class Walk:
    """The position state of one aircraft while its frames are walked through."""

    def __init__(self, row: Any, station: Position | None, max_range_nm: float, counts: PositionCounts) -> None:
        self._row = row
        self._station = station
        self._max_range_nm = max_range_nm
        self._counts = counts
        self._last: list[PositionFrame] = [
            PositionFrame(*values)
            for values in zip(
                row["cpr_time"].tolist(), (0, 1), row["cpr_lat"].tolist(), row["cpr_lon"].tolist(),
                row["cpr_limit"].tolist(), row["cpr_surface"].tolist(), strict=True,
            )
        ]  # fmt: skip
        self._time = float(row["pos_time"])
        self._position = (float(row["pos_lat"]), float(row["pos_lon"]))
        self._surface = bool(row["pos_surface"])
        self._since = float(row["pos_since"])
        self._settled = bool(row["pos_settled"])
        self._jump_since = float(row["jump_since"])
        self._jump_time = float(row["jump_time"])
        self._jump = (float(row["jump_lat"]), float(row["jump_lon"]))
        self._jump_pairs = int(row["jump_pairs"])
        self._doubts = int(row["doubts"])

    @property
    def settled(self) -> bool:
        """Whether a pair of frames newer than the first position has confirmed it."""
        return self._settled

    def save(self) -> None:
        """Write the state back into the row."""
        row, last = self._row, self._last
        row["cpr_time"] = [frame.time for frame in last]
        row["cpr_lat"] = [frame.lat_code for frame in last]
        row["cpr_lon"] = [frame.lon_code for frame in last]
        row["cpr_limit"] = [frame.limit for frame in last]
        row["cpr_surface"] = [frame.surface for frame in last]
        row["pos_time"], row["pos_surface"] = self._time, self._surface
        row["pos_lat"], row["pos_lon"] = self._position
        row["pos_since"], row["pos_settled"] = self._since, self._settled
        row["jump_since"], row["jump_time"] = self._jump_since, self._jump_time
        row["jump_lat"], row["jump_lon"] = self._jump
        row["jump_pairs"], row["doubts"] = self._jump_pairs, self._doubts

    def step(self, frame: PositionFrame) -> Position | None:
        """Process the next frame; returns its position if there is one and it is accepted."""
        self._last[frame.odd] = frame
        partner = self._last[1 - frame.odd]
        if abs(frame.time - self._jump_time) > limits.JUMP_S:
            self._jump_since = self._jump_time = LONG_AGO
        by_pair = self._by_pair(frame, partner)
        if by_pair is not None and not self._in_range(by_pair):
            self._counts.out_of_range += 1
            by_pair = None
        if abs(frame.time - self._time) > limits.MEMORY_S:
            return self._begin(frame, partner, by_pair)
        if by_pair is None:
            return self._go_on_alone(frame)
        if self._reachable(frame, by_pair):
            return self._accept(frame, by_pair, partner)
        return self._contradicted(frame, partner, by_pair)

    def _begin(self, frame: PositionFrame, partner: PositionFrame, by_pair: Position | None) -> Position | None:
        """Without a last position: accept the first pair, unless the aircraft has contradicted itself."""
        if by_pair is None:
            self._counts.unresolved += 1
            return None
        if self._jump_time != LONG_AGO and not self._confirmed(frame, partner, by_pair):
            self._counts.too_fast += 1
            return None
        return self._start_over(frame, by_pair)

    def _go_on_alone(self, frame: PositionFrame) -> Position | None:
        """Without a pair: decode the frame relative to the last position."""
        alone = self._alone(frame)
        if alone is None:
            self._counts.unresolved += 1
        elif not self._reachable(frame, alone):
            self._counts.too_fast += 1
        elif not self._in_range(alone):
            self._counts.out_of_range += 1
        else:
            return self._accept(frame, alone, None)
        return None

    def _contradicted(self, frame: PositionFrame, partner: PositionFrame, by_pair: Position) -> Position | None:
        """A pair whose position is out of reach.

        Either the pair consists of frames that do not belong together, or the last position did. A position that
        no further pair has borne out yet is given up at once. Otherwise, if the frame alone fits the last
        position, two aircraft may be using this address; only when that goes on is the last position given up.
        """
        if not self._settled:
            self._give_up(frame, by_pair)
            return None
        alone = self._alone(frame)
        if alone is not None and self._reachable(frame, alone) and self._in_range(alone):
            self._doubts += 1
            if self._doubts >= limits.MAX_DOUBTS:
                self._give_up(frame, by_pair)
                return None
            return self._accept(frame, alone, None)
        if self._confirmed(frame, partner, by_pair):
            return self._start_over(frame, by_pair)
        self._counts.too_fast += 1
        return None

    def _accept(self, frame: PositionFrame, position: Position, partner: PositionFrame | None) -> Position:
        self._time, self._position, self._surface = frame.time, position, frame.surface
        self._jump_since = self._jump_time = LONG_AGO
        if partner is None:
            self._counts.alone += 1
        else:
            self._doubts = 0
            self._counts.by_pair += 1
            self._settled |= min(partner.time, frame.time) > self._since
        return position

    def _start_over(self, frame: PositionFrame, position: Position) -> Position:
        self._time, self._position, self._surface = frame.time, position, frame.surface
        self._since, self._settled, self._doubts = frame.time, False, 0
        self._jump_since = self._jump_time = LONG_AGO
        self._counts.by_pair += 1
        return position

    def _give_up(self, frame: PositionFrame, by_pair: Position) -> None:
        """Drop the last position; the next one has to be confirmed."""
        self._counts.too_fast += 1
        self._time, self._settled, self._doubts = LONG_AGO, False, 0
        self._look_elsewhere(frame, by_pair)

    def _confirmed(self, frame: PositionFrame, partner: PositionFrame, position: Position) -> bool:
        """Whether enough pairs in succession, the last one all of newer frames, have agreed on this position."""
        if self._jump_time != LONG_AGO and limits.distance_nm(*self._jump, *position) <= limits.jump_reach_nm(
            frame.time - self._jump_time
        ):
            self._jump_time, self._jump = frame.time, position
            self._jump_pairs += 1
            return self._jump_pairs >= limits.JUMP_PAIRS and min(partner.time, frame.time) > self._jump_since
        self._look_elsewhere(frame, position)
        return False

    def _look_elsewhere(self, frame: PositionFrame, position: Position) -> None:
        """A first pair with another position."""
        self._jump_since = self._jump_time = frame.time
        self._jump, self._jump_pairs = position, 1

    def _by_pair(self, frame: PositionFrame, partner: PositionFrame) -> Position | None:
        if partner.surface != frame.surface or abs(frame.time - partner.time) > min(frame.limit, partner.limit):
            return None
        even, odd = (partner, frame) if frame.odd else (frame, partner)
        circle = 90.0 if frame.surface else 360.0
        latitudes = global_latitudes(even.lat_code, odd.lat_code, circle)
        if frame.surface:
            return self._surface_pair(frame, even, odd, latitudes)
        zones = longitude_zones(latitudes[0])
        if abs(latitudes[0]) > 90.0 or abs(latitudes[1]) > 90.0 or longitude_zones(latitudes[1]) != zones:
            return None
        lon = global_longitude(even.lon_code, odd.lon_code, frame.odd, zones, circle)
        return latitudes[frame.odd], wrap_longitude(lon)

    def _surface_pair(
        self, frame: PositionFrame, even: PositionFrame, odd: PositionFrame, latitudes: Position
    ) -> Position | None:
        """The one of eight solutions that is nearest to the last position, or else to the station."""
        if abs(frame.time - self._time) <= limits.MEMORY_S:
            reference = self._position
        elif self._station is not None:
            reference = self._station
        else:
            self._counts.no_reference += 1
            return None
        if abs(latitudes[frame.odd] - 90.0 - reference[0]) < abs(latitudes[frame.odd] - reference[0]):
            latitudes = latitudes[0] - 90.0, latitudes[1] - 90.0
        zones = longitude_zones(latitudes[0])
        if longitude_zones(latitudes[1]) != zones:
            return None
        lon = global_longitude(even.lon_code, odd.lon_code, frame.odd, zones, 90.0)
        quarters = (reference[1] - lon + 45.0) // 90.0
        position = latitudes[frame.odd], wrap_longitude(lon + 90.0 * quarters)
        if self._is_far(reference, position):
            # The station is no reference for what a receiver far from it hears.
            self._counts.no_reference += 1
            return None
        return position

    def _is_far(self, reference: Position, position: Position) -> bool:
        """Whether a place resolved by the station is beyond its reach, where receivers may be anywhere."""
        return (
            reference is self._station
            and math.isinf(self._max_range_nm)
            and bool(limits.distance_nm(*reference, *position) > limits.DEFAULT_RANGE_NM)
        )

    def _alone(self, frame: PositionFrame) -> Position | None:
        """Decode the frame relative to the last position."""
        both_on_surface = frame.surface and self._surface
        if abs(frame.time - self._time) > (limits.SURFACE_LOCAL_S if both_on_surface else limits.AIRBORNE_LOCAL_S):
            return None
        circle = 90.0 if frame.surface else 360.0
        lat, lon = local_position(frame.lat_code, frame.lon_code, frame.odd, *self._position, circle)
        return (lat, lon) if abs(lat) <= 90.0 else None

    def _reachable(self, frame: PositionFrame, position: Position) -> bool:
        both_on_surface = frame.surface and self._surface
        reach_nm = limits.surface_reach_nm if both_on_surface else limits.airborne_reach_nm
        reach = min(reach_nm(frame.time - self._time), 40.0) if frame.surface else reach_nm(frame.time - self._time)
        return bool(limits.distance_nm(*self._position, *position) <= reach)

    def _in_range(self, position: Position) -> bool:
        return self._station is None or limits.distance_nm(*self._station, *position) <= self._max_range_nm
