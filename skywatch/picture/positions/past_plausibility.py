"""The plausibility of positions that are all known: the rule of the live picture, with hindsight.

As there, an aircraft cannot be farther from where it was than its speed has carried it, and what contradicts that is
believed once so many positions in a row say so. Of the past, all of these are kept, and so few before them are not.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from skywatch.core import geo
from skywatch.core.arrays import Array
from skywatch.picture.positions.plausibility import CONFIRMATIONS, FORGOTTEN_AFTER_S, reach_nm
from skywatch.picture.state.fields import POSITION_LIFETIME_S

_Where = tuple[float, float, float, float, bool, bool, float]


def implausible(at: Array, lat: Array, lon: Array, gs: Array, on_ground: Array, mlat: Array) -> Array:
    """Which positions ?[n] of one aircraft, in order of time, contradict those around them.

    ``at`` f8[n] in seconds, ``gs`` f8[n] in kt (NaN unknown), ``on_ground`` ?[n], and ``mlat`` ?[n]: computed from
    arrival times.
    """
    dropped = np.zeros(len(at), np.bool_)
    if len(at) < 2:
        return dropped
    left_at = _left_at(at, lat, lon, on_ground)
    with np.errstate(invalid="ignore"):
        apart = geo.distance_nm(lat[:-1], lon[:-1], lat[1:], lon[1:])
        elapsed = at[1:] - left_at[:-1]
        reach = _reach(elapsed, gs[:-1], gs[1:], on_ground[:-1] & on_ground[1:], mlat[:-1] | mlat[1:])
    if (apart <= reach).all():
        return dropped
    columns = (at, lat, lon, gs, on_ground, mlat, left_at)
    places: list[_Where] = list(zip(*(column.tolist() for column in columns), strict=True))
    believed, rivals = [0], list[int]()
    for number in range(1, len(places)):
        if _near(places[believed[-1]], places[number]):
            dropped[rivals] = True
            rivals = []
            believed.append(number)
            continue
        if rivals and not _near(places[rivals[-1]], places[number]):
            dropped[rivals] = True
            rivals = []
        rivals.append(number)
        if len(rivals) >= CONFIRMATIONS:
            # So few as were believed until now contradict more.
            dropped[believed] = len(believed) < CONFIRMATIONS
            believed, rivals = rivals, []
    if len(rivals) > len(believed):
        believed, rivals = rivals, believed
    dropped[rivals] = True
    return dropped


def _left_at(at: Array, lat: Array, lon: Array, on_ground: Array) -> Array:
    """When an aircraft was last where each position says f8[n]: some programs repeat the last one in every line."""
    is_new = np.ones(len(at), np.bool_)
    is_new[1:] = (np.diff(lat) != 0) | (np.diff(lon) != 0) | on_ground[1:]
    first = np.maximum.accumulate(np.where(is_new, np.arange(len(at)), 0))
    result: Array = np.maximum(at[first], at - POSITION_LIFETIME_S)
    return result


def _reach(elapsed_s: Any, before_kt: Any, now_kt: Any, on_ground: Any, mlat: Any) -> Any:
    """How far (nm) an aircraft came between two positions; with long times between them any speed was possible."""
    speed = np.where(np.abs(elapsed_s) > FORGOTTEN_AFTER_S, math.nan, np.fmax(before_kt, now_kt))
    return reach_nm(elapsed_s, speed, on_ground & (np.abs(elapsed_s) <= FORGOTTEN_AFTER_S), mlat)


def _near(before: _Where, now: _Where) -> bool:
    reach = _reach(now[0] - before[6], before[3], now[3], before[4] and now[4], before[5] or now[5])
    return bool(geo.distance_nm(before[1], before[2], now[1], now[2]) <= reach)
