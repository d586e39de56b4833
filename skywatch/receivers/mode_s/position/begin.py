"""The first positions of many aircraft at once: what ``walk.py`` does with one frame of an aircraft in the air whose
position is not settled.

Three histories are simple: still no pair, the first pair, and a further pair within reach of the position before.
"""

from __future__ import annotations

import numpy as np

from skywatch.receivers.framing.frames import Column
from skywatch.receivers.mode_s.aircraft_table import LONG_AGO
from skywatch.receivers.mode_s.position import plausibility as limits
from skywatch.receivers.mode_s.position.cpr import positions_of_pairs
from skywatch.receivers.mode_s.position.frames import PositionFrames
from skywatch.receivers.mode_s.statistics import PositionCounts


def begin_together(
    frames: PositionFrames,
    chosen: Column,
    rows: Column,
    station: tuple[float, float] | None,
    max_range_nm: float,
    counts: PositionCounts,
    resolved: Column,
    lat: Column,
    lon: Column,
) -> Column:
    """Resolve the frames with these indices, each of another aircraft; whether each was simple ?[n].

    The table's ``rows``, the counts and the last three columns are changed where it was.
    """
    own = frames.pick(chosen)
    aircraft, time, odd = own.aircraft, own.time, own.odd
    slot = aircraft, 1 - odd
    partner_time = rows["cpr_time"][slot]
    own_lat, own_lon, paired = positions_of_pairs(
        own.lat_code, own.lon_code, odd, rows["cpr_lat"][slot], rows["cpr_lon"][slot]
    )
    paired &= np.abs(time - partner_time) <= np.minimum(own.limit, rows["cpr_limit"][slot])
    paired &= ~rows["cpr_surface"][slot]
    last_time = rows["pos_time"][aircraft]
    is_first = np.abs(time - last_time) > limits.MEMORY_S
    elapsed = np.abs(time - last_time)
    apart_nm = limits.distance_nm(rows["pos_lat"][aircraft], rows["pos_lon"][aircraft], own_lat, own_lon)
    is_simple = np.where(is_first, True, paired & (time >= last_time) & (apart_nm <= limits.airborne_reach_nm(elapsed)))
    is_simple &= ~own.surface & ~rows["pos_surface"][aircraft]
    is_simple &= (rows["jump_time"][aircraft] == LONG_AGO) & (rows["doubts"][aircraft] == 0)
    if station is not None:
        is_simple &= ~paired | (limits.distance_nm(*station, own_lat, own_lon) <= max_range_nm)
    paired &= is_simple
    _remember(own.pick(is_simple), rows)
    counts.by_pair += int(np.count_nonzero(paired))
    counts.unresolved += int(np.count_nonzero(is_simple & ~paired))
    begun = aircraft[paired & is_first]
    rows["pos_since"][begun] = time[paired & is_first]
    # Only a pair newer than the first position confirms it.
    further = aircraft[paired & ~is_first]
    rows["pos_settled"][begun] = False
    rows["pos_settled"][further] = np.minimum(partner_time, time)[paired & ~is_first] > rows["pos_since"][further]
    positioned = aircraft[paired]
    rows["pos_time"][positioned] = time[paired]
    rows["pos_lat"][positioned], rows["pos_lon"][positioned] = own_lat[paired], own_lon[paired]
    places = chosen[paired]
    resolved[places], lat[places], lon[places] = True, own_lat[paired], own_lon[paired]
    return is_simple


def _remember(frames: PositionFrames, rows: Column) -> None:
    """Keep the frames as partners of later ones."""
    slot = frames.aircraft, frames.odd
    rows["cpr_time"][slot] = frames.time
    rows["cpr_lat"][slot] = frames.lat_code
    rows["cpr_lon"][slot] = frames.lon_code
    rows["cpr_limit"][slot] = frames.limit
    rows["cpr_surface"][slot] = frames.surface
