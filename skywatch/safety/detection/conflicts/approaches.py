"""Approaches to parallel runways: two that descend slowly, low, side by side or about to be.

Whoever turns onto a final is on a collision course with the other final until the turn is flown. By its geometry a pair
is harmless if the two will be parallel before they are closest, a runway's distance apart; a pair that still crosses
``proximity_parallel_s`` before the closest point is not.
"""

from __future__ import annotations

import numpy as np

from skywatch.safety.detection.conflicts.cells import offset
from skywatch.safety.detection.frame import Array, Frame
from skywatch.safety.thresholds.thresholds import Thresholds

# Low, slow and descending (ft, kt, ft/min).
LOW_FT, SLOW_KT, DESCENDING_FPM = 10_000.0, 220.0, -200.0
# Established: alike in track (degrees), as tracks scatter in gusts and crosswinds.
ESTABLISHED_DEG = 15.0
# Parallel within this (degrees).
PARALLEL_DEG = 5.0
# Behind each other, not side by side: the offset across is less than this share of the one along it.
BEHIND_SHARE = 0.5


def are_parallel(
    frame: Frame, first: Array, second: Array, until_s: Array, closest_nm: Array, turn: Array, thresholds: Thresholds
) -> Array:
    """Which pairs of rows fly, or turn onto, parallel finals and keep apart; ``turn`` in degrees/s by row."""
    altitude, gs, rate = frame.column("alt_baro_ft"), frame.column("gs_kt"), frame.rate_fpm
    is_approach = np.ones(len(first), "?")
    for rows in (first, second):
        is_approach &= (altitude[rows] < LOW_FT) & (gs[rows] < SLOW_KT) & (rate[rows] < DESCENDING_FPM)
    which = np.flatnonzero(is_approach)
    if len(which):
        first, second = first[which], second[which]
        is_approach[which] = _keep_apart(
            frame, first, second, until_s[which], closest_nm[which], (turn[first], turn[second]), thresholds
        )
    return is_approach


def _keep_apart(
    frame: Frame, first: Array, second: Array, until_s: Array, closest_nm: Array, turn: tuple[Array, Array],
    thresholds: Thresholds,
) -> Array:  # fmt: skip
    gs, track = frame.column("gs_kt"), frame.column("track_deg")
    dx, dy = offset(frame.column("lat"), frame.column("lon"), first, second)
    differ_deg = (track[second] - track[first] + 180) % 360 - 180
    between_deg = np.abs(differ_deg)
    middle = np.radians(track[first] + differ_deg / 2)
    # Across the middle course, to its right, and along it.
    across, along = dx * np.cos(middle) - dy * np.sin(middle), dx * np.sin(middle) + dy * np.cos(middle)
    half = np.radians(differ_deg / 2)
    drift_kt = (gs[second] + gs[first]) * np.sin(half)
    converging_kt = -drift_kt * np.sign(across)
    # How fast the angle between them shrinks (degrees/s), and in what time they are parallel.
    shrinking = (turn[0] - turn[1]) * np.sign(differ_deg)
    with np.errstate(divide="ignore", invalid="ignore"):
        parallel_s = np.where(shrinking > 0, np.maximum(between_deg - PARALLEL_DEG, 0.0) / shrinking, np.inf)
        # While the angle shrinks the speed across does: half of it counts.
        left_nm = np.abs(across) - np.maximum(converging_kt, 0.0) / 3600 * parallel_s / 2
    turns_in = (parallel_s < until_s) & (left_nm >= thresholds.proximity_aside_nm)
    is_behind = np.abs(across) < BEHIND_SHARE * np.abs(along)
    one_final = (between_deg <= ESTABLISHED_DEG) & is_behind & (closest_nm < thresholds.proximity_aside_nm)
    is_near = until_s <= thresholds.proximity_parallel_s
    # Who passes in front of the other or behind it is on the other's final by then, however far from the other.
    then_nm = np.abs(across) - np.maximum(converging_kt, 0.0) / 3600 * until_s
    crosses = (closest_nm < thresholds.proximity_aside_nm) | (
        (between_deg > PARALLEL_DEG) & (then_nm < thresholds.proximity_aside_nm)
    )
    is_established = (between_deg <= ESTABLISHED_DEG) & ~(is_near & crosses)
    intercepts = (between_deg <= 2 * thresholds.proximity_intercept_deg) & ~is_near
    result: Array = (turns_in | is_established | intercepts) & ~one_final
    return result
