"""Aircraft in a turn: how fast they turn, by the history of their tracks, and where pairs of them may come.

Nobody says when a turn will end. Four futures are looked at: it ends now, after a quarter and after half of the
look-ahead, and not at all. The nearer a conflict, the fewer of them have to lead to it.
"""

from __future__ import annotations

import numpy as np

from skywatch.safety.detection.conflicts.cells import Motion
from skywatch.safety.detection.frame import Array, Carried, Frame
from skywatch.safety.thresholds.thresholds import Thresholds

# The rate is the mean of about so long (s): single tracks scatter by half a degree.
SMOOTH_S = 4.0
# After a gap (s) the rate is that of a new aircraft: none.
GAP_S = 15.0
# Tracks that change faster than this (degrees/s) are errors, or hovering.
GREATEST_DEG_S = 6.0
# Ends of the turn, as shares of the look-ahead, and the step (s) at which paths are compared: a model of what nobody
# knows, of which only the number that has to agree is a threshold.
ENDS = (0.0, 0.25, 0.5, 1.0)
STEP_S = 2.0


class TurnRates:
    """Rates of turn (degrees/s, to the right) by row; 0 for those that fly straight."""

    def __init__(self) -> None:
        self._carried = Carried(track=np.nan, at=np.nan, rate=0.0)

    def update(self, frame: Frame, least_deg_s: float) -> Array:
        """The rates of this tick; slower ones than ``least_deg_s`` count as straight flight."""
        self._carried.carry(frame)
        track_before, at_before, rate = (self._carried[name] for name in ("track", "at", "rate"))
        track, at = frame.column("track_deg"), frame.column("velocity_at")
        rows = np.flatnonzero(at != at_before)
        passed_s = at[rows] - at_before[rows]
        turned_deg = (track[rows] - track_before[rows] + 180) % 360 - 180
        with np.errstate(invalid="ignore", divide="ignore"):
            latest = turned_deg / passed_s
            weight = 1 - np.exp(-passed_s / SMOOTH_S)
            follows = (passed_s > 0) & (passed_s <= GAP_S) & (np.abs(latest) <= GREATEST_DEG_S)
        rate[rows] = np.where(follows, rate[rows] + weight * (latest - rate[rows]), 0.0)
        track_before[rows], at_before[rows] = track[rows], at[rows]
        turning: Array = np.where(np.abs(rate) >= least_deg_s, rate, 0.0)
        return turning


def meeting_times(
    m: Motion, first: Array, second: Array, offset: tuple[Array, Array], size_nm: Array, thresholds: Thresholds,
    is_raised: bool,
) -> tuple[Array, Array, Array, Array]:  # fmt: skip
    """When (s) pairs of which one turns are within ``size_nm``, until when, when they are closest, and how near (nm).

    Never (infinite, minus infinite) where too few futures lead there; for pairs that are raised one is enough.
    """
    ahead_s = thresholds.proximity_turn_s
    times = np.arange(0.0, ahead_s + STEP_S, STEP_S)
    distance = np.empty((len(ENDS), len(first), len(times)), "f4")
    for number, share in enumerate(ENDS):
        ends_s = np.minimum(times, share * ahead_s)
        east_first, north_first = _way(m, first, times, ends_s)
        east_second, north_second = _way(m, second, times, ends_s)
        dx, dy = offset[0][:, None] + east_second - east_first, offset[1][:, None] + north_second - north_first
        distance[number] = np.hypot(dx, dy)
    inside = distance <= size_nm[:, None]
    is_met = inside.any(axis=2)
    enters = np.where(is_met, times[inside.argmax(axis=2)], np.inf)
    earliest = enters.min(axis=0)
    # The nearer a conflict, the fewer futures have to lead to it.
    needed = np.where(
        earliest <= thresholds.proximity_turn_one_s, 1, np.where(earliest <= thresholds.proximity_turn_two_s, 2, 3)
    )
    counts = np.full(len(first), is_raised) & is_met.any(axis=0) | (is_met.sum(axis=0) >= needed)
    likely = np.argmin(np.where(is_met, distance.min(axis=2), np.inf), axis=0)
    pairs = np.arange(len(first))
    of_likely = distance[likely, pairs]
    closest = of_likely.argmin(axis=1)
    last = len(times) - 1 - inside[likely, pairs][:, ::-1].argmax(axis=1)
    enter, leave = enters[likely, pairs], times[last]
    return (
        np.where(counts, enter, np.inf),
        np.where(counts, leave, -np.inf),
        times[closest],
        of_likely[pairs, closest].astype("f8"),
    )


def _way(m: Motion, rows: Array, times: Array, turns_s: Array) -> tuple[Array, Array]:
    """East and north (nm) flown after ``times``, of which the first ``turns_s`` in a turn and the rest straight."""
    assert m.turn_deg_s is not None
    east, north = (m.east_kt[rows] / 3600)[:, None], (m.north_kt[rows] / 3600)[:, None]
    rate = np.radians(m.turn_deg_s[rows])[:, None]
    rate = np.where(rate == 0, 1e-6, rate)
    angle = rate * turns_s
    sine, cosine = np.sin(angle), np.cos(angle)
    along, aside, rest_s = sine / rate, (1 - cosine) / rate, times - turns_s
    # A turn to the right by an angle takes (east, north) to (east cos + north sin, north cos - east sin).
    x = east * along + north * aside + (east * cosine + north * sine) * rest_s
    y = north * along - east * aside + (north * cosine - east * sine) * rest_s
    return x, y
