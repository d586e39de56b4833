"""Pairs of aircraft that come too near: positions brought to a common time, closest point of approach, graded box.

``cells.neighbours`` finds the pairs that could meet within the horizon, all vectorised. The time during which a pair is
inside the box horizontally (a quadratic) and vertically (linear) is solved exactly, from velocities.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from skywatch.safety.detection.conflicts.cells import NM_PER_DEGREE, Motion, neighbours, offset
from skywatch.safety.detection.conflicts.companions import TOGETHER_FT, TOGETHER_NM
from skywatch.safety.detection.conflicts.intentions import Intentions
from skywatch.safety.detection.conflicts.turns import meeting_times
from skywatch.safety.detection.frame import Array, Frame
from skywatch.safety.thresholds.thresholds import Thresholds

# Vertical rates beyond this are errors, or end within the horizon.
GREATEST_RATE_FPM = 6000.0
# Ground speeds beyond this are errors: twice that of sound at altitude. All cells are as wide as the fastest needs.
GREATEST_KT = 1200.0
# Altitudes are not extrapolated further than this (s): a climbing aircraft may have levelled off.
ALTITUDE_AHEAD_S = 5.0
# Slower than this is level flight: rates scatter by some steps of 64 ft/min.
LEVEL_FPM = 300.0
# Of the box: 450 ft low and 900 ft high, which is the usual separation less a tenth for encoders and overshoot.
SEPARATION_FACTOR, LEVEL_OFF_FPS2 = 1.125, 2.4
# Where both level off each brakes on its own, and more gently than the most that was measured: 0.056 g.
BOTH_LEVEL_OFF_FPS2 = 1.8
# A pair in a turn that will come nearer by this (nm) is closing, even where it is not yet.
TURNED_CLOSER_NM = 0.1


@dataclass(frozen=True)
class Pairs:
    """Pairs that meet the box: rows, seconds until the closest point and the box, distances there and now.

    Those that are not ``is_decided`` can still level off at the usual separation.
    """

    first: Array
    second: Array
    until_s: Array
    enter_s: Array
    closest_nm: Array
    closest_ft: Array
    now_nm: Array
    now_ft: Array
    closing_kt: Array
    box_nm: Array
    box_ft: Array
    is_decided: Array

    def of(self, which: Array) -> Pairs:
        """Some of the pairs."""
        return Pairs(*(getattr(self, field.name)[which] for field in fields(self)))

    def joined(self, others: Pairs) -> Pairs:
        """These pairs and others."""
        return Pairs(*(np.concatenate((getattr(self, f.name), getattr(others, f.name))) for f in fields(self)))


def motion(frame: Frame, thresholds: Thresholds, turn_deg_s: Array, is_doubtful: Array) -> Motion:
    """Aircraft that can be judged: airborne, with altitude, velocity and a fresh position, moved to the tick's time.

    ``turn_deg_s`` is the rate of turn of every row, ``is_doubtful`` says whose altitude is not to be believed.
    """
    lat, gs, track = frame.column("lat"), frame.column("gs_kt"), frame.column("track_deg")
    altitude, age_s = frame.column("alt_baro_ft"), frame.now - frame.column("position_at")
    # One NaN makes the sum NaN.
    usable = ~np.isnan(lat + gs + track + altitude) & frame.airborne & ~is_doubtful
    usable &= (age_s <= thresholds.proximity_position_age_s) & (gs <= GREATEST_KT)
    rows = np.flatnonzero(usable)
    rate = np.nan_to_num(frame.rate_fpm[rows])
    rate = np.where(np.abs(rate) < LEVEL_FPM, 0.0, np.clip(rate, -GREATEST_RATE_FPM, GREATEST_RATE_FPM))
    # Single precision is a hundred times finer than what aircraft send of their velocity, and far faster.
    angle, speed = np.radians(track[rows]), gs[rows]
    east, north = (speed * np.sin(angle)).astype("f8"), (speed * np.cos(angle)).astype("f8")
    ahead_deg = np.maximum(age_s[rows], 0.0) * (1 / 3600 / NM_PER_DEGREE)
    start = lat[rows]
    longitude = frame.column("lon")[rows] + east * ahead_deg / np.cos(np.radians(start.astype("f4")))
    longitude = np.where(np.abs(longitude) > 180, (longitude + 180) % 360 - 180, longitude)
    altitude_age_s = np.clip(frame.now - frame.column("altitude_at")[rows], 0.0, ALTITUDE_AHEAD_S)
    height = altitude[rows] + rate / 60 * np.nan_to_num(altitude_age_s)
    strangers = frame.strangers
    return Motion(
        rows,
        start + north * ahead_deg,
        longitude,
        height,
        east,
        north,
        rate / 60,
        turn_deg_s[rows],
        None if strangers is None else strangers[rows],
    )


def box(alt_ft: Array, thresholds: Thresholds) -> tuple[Array, Array]:
    """Horizontal (nm) and vertical (ft) size of the box at these altitudes."""
    t = thresholds
    levels = [t.proximity_low_ft, max(t.proximity_high_ft, t.proximity_low_ft + 1)]
    return (
        np.interp(alt_ft, levels, [t.proximity_low_nm, t.proximity_high_nm]),
        np.interp(alt_ft, levels, [t.proximity_low_vertical_ft, t.proximity_high_vertical_ft]),
    )


def candidates(m: Motion, thresholds: Thresholds, later_s: float = 0.0) -> tuple[Array, Array, Array]:
    """Pairs (indexes into ``m``) that could meet the box within the horizon, or that fly together; and the crowd, who
    are in no pair because they are too many (``cells.neighbours``).

    ``later_s``: or that could within so much more time, if nothing is received.
    """
    widest_nm = max(thresholds.proximity_low_nm, thresholds.proximity_high_nm, TOGETHER_NM)
    highest_ft = max(thresholds.proximity_low_vertical_ft, thresholds.proximity_high_vertical_ft, TOGETHER_FT)
    return neighbours(m, thresholds.proximity_horizon_s + later_s, widest_nm, highest_ft)


def judge_pairs(
    m: Motion,
    first: Array,
    second: Array,
    thresholds: Thresholds,
    factor: float,
    least_closing_kt: float,
    intentions: Intentions,
) -> Pairs:
    """The pairs out of some (indexes into ``m``) that meet ``factor`` times the box.

    With a factor over 1 (pairs that were raised before) being inside is enough, and the undecided ones are left out;
    otherwise they must be closing.
    """
    dz, vz = m.alt_ft[second] - m.alt_ft[first], m.climb_fps[second] - m.climb_fps[first]
    box_nm, box_ft = _boxes(m, first, second, thresholds)
    # Most pairs stay apart vertically: all else is for the others only.
    converging_fps = np.maximum(np.where(dz >= 0, -vz, vz), 0.0)
    nearest_ft = np.abs(dz) - converging_fps * thresholds.proximity_horizon_s
    meets = np.flatnonzero(nearest_ft <= box_ft * factor)
    first, second, dz, vz, box_nm, box_ft = (values[meets] for values in (first, second, dz, vz, box_nm, box_ft))
    dx, dy = offset(m.lat, m.lon, first, second)
    vx, vy = (m.east_kt[second] - m.east_kt[first]) / 3600, (m.north_kt[second] - m.north_kt[first]) / 3600
    # So do most of these horizontally: they pass at a distance, or have passed.
    is_on_course = _is_on_course(dx, dy, vx, vy, box_nm * factor)
    is_turning = _is_turning(m, first, second)
    near_nm = box_nm * factor + _speeds_kt(m, first, second) * (thresholds.proximity_turn_s / 3600)
    meets = np.flatnonzero(np.where(is_turning, np.hypot(dx, dy) <= near_nm, is_on_course))
    first, second, dz, vz, dx, dy, vx, vy, box_nm, box_ft = (
        values[meets] for values in (first, second, dz, vz, dx, dy, vx, vy, box_nm, box_ft)
    )
    room_ft = _room_ft(m, first, second, dz, box_ft, thresholds)
    # Vertically a raised pair leaves where the usual separation begins, however large the factor.
    box_nm, box_ft = box_nm * factor, box_ft * min(factor, SEPARATION_FACTOR)
    v_in, v_out = _vertical_times(dz, vz, box_ft)
    h_in, h_out = _horizontal_times(dx, dy, vx, vy, box_nm)
    now_nm = np.hypot(dx, dy)
    turned_s, turned_nm = np.full(len(first), np.nan), np.full(len(first), np.nan)
    turning = np.flatnonzero(is_turning[meets] & (v_in <= thresholds.proximity_turn_s) & (v_out >= 0))
    h_in[is_turning[meets]], h_out[is_turning[meets]] = np.inf, -np.inf
    if len(turning):
        sides, apart = (first[turning], second[turning]), (dx[turning], dy[turning])
        h_in[turning], h_out[turning], turned_s[turning], turned_nm[turning] = meeting_times(
            m, *sides, apart, box_nm[turning], thresholds, factor > 1
        )
    enter = np.maximum(np.maximum(h_in, v_in), 0.0)
    leave = np.minimum(np.minimum(h_out, v_out), thresholds.proximity_horizon_s)
    with np.errstate(invalid="ignore", divide="ignore"):
        closing_kt = np.where(now_nm > 1e-6, -(dx * vx + dy * vy) / now_nm, 0.0) * 3600
    counts = (enter <= leave) & ((closing_kt > least_closing_kt) | (turned_nm < now_nm - TURNED_CLOSER_NM))
    braking_ft = _braking_ft(m, first, second, dz)
    is_decided = np.ones(len(first), "?")
    undecided = np.flatnonzero(counts & (dz * vz < 0) & (room_ft > braking_ft))
    if len(undecided):
        sides = first[undecided], second[undecided]
        is_decided[undecided] = room_ft[undecided] <= _committed_ft(m, *sides, dz[undecided], intentions)
    if factor > 1:
        counts &= is_decided
        counts |= (enter <= leave) & (now_nm <= box_nm) & (np.abs(dz) < box_ft)
    meets = np.flatnonzero(counts)
    first, second, dx, dy, dz = first[meets], second[meets], dx[meets], dy[meets], dz[meets]
    vx, vy, vz, turned_s, turned_nm = vx[meets], vy[meets], vz[meets], turned_s[meets], turned_nm[meets]
    until = _until_closest(dx, dy, vx, vy, turned_s, enter[meets], leave[meets])
    closest_nm = np.where(np.isnan(turned_nm), np.hypot(dx + vx * until, dy + vy * until), turned_nm)
    return Pairs(
        m.rows[first], m.rows[second], until, enter[meets],
        closest_nm, np.abs(dz + vz * until),
        now_nm[meets], np.abs(dz), closing_kt[meets], box_nm[meets], box_ft[meets], is_decided[meets],
    )  # fmt: skip


def _is_turning(m: Motion, first: Array, second: Array) -> Array:
    """Which pairs have an aircraft in a turn."""
    if m.turn_deg_s is None:
        return np.zeros(len(first), "?")
    turns = m.turn_deg_s != 0
    is_turning: Array = turns[first] | turns[second]
    return is_turning


def _speeds_kt(m: Motion, first: Array, second: Array) -> Array:
    """The sum of the speeds of pairs: they close no faster."""
    speeds: Array = np.hypot(m.east_kt[first], m.north_kt[first]) + np.hypot(m.east_kt[second], m.north_kt[second])
    return speeds


def _boxes(m: Motion, first: Array, second: Array, thresholds: Thresholds) -> tuple[Array, Array]:
    """The boxes of the lower aircraft of pairs: traffic near an airfield is judged by the rules of low flight."""
    if len(first) < len(m.rows):
        return box(np.minimum(m.alt_ft[first], m.alt_ft[second]), thresholds)
    lower = np.where(m.alt_ft[second] >= m.alt_ft[first], first, second)
    wide_nm, high_ft = box(m.alt_ft, thresholds)
    return wide_nm[lower], high_ft[lower]


def _is_on_course(dx: Array, dy: Array, vx: Array, vy: Array, size: Array) -> Array:
    """Which pairs are within ``size`` or will be, however far ahead."""
    closing, outside = dx * vx + dy * vy, dx * dx + dy * dy - size * size
    is_on_course: Array = (outside <= 0) | ((closing < 0) & (closing * closing >= (vx * vx + vy * vy) * outside))
    return is_on_course


def _room_ft(m: Motion, first: Array, second: Array, dz: Array, box_ft: Array, thresholds: Thresholds) -> Array:
    """The way (ft) that pairs may still come nearer vertically until only the usual separation is left.

    By velocity alone, an aircraft that climbs to the level below another one is on a collision course until the last
    moment. The usual separation is 500 ft low and 1,000 ft high (ICAO Doc 4444, 5.3.2), and 1,000 ft where one climbs
    and the other descends: both are cleared to levels. Aircraft capture an altitude with less than 0.075 g, measured on
    recordings, and by ICAO Doc 8168 volume III with less than 1,500 ft/min.
    """
    separation_ft = SEPARATION_FACTOR * box_ft
    is_opposite = m.climb_fps[first] * m.climb_fps[second] < 0
    separation_ft = np.where(is_opposite, np.maximum(separation_ft, thresholds.proximity_levels_ft), separation_ft)
    room: Array = np.abs(dz) - separation_ft
    return room


def _braking_ft(m: Motion, first: Array, second: Array, dz: Array) -> Array:
    """The way (ft) that pairs come nearer vertically while they level off: each one's own where both move towards the
    other, else that of their difference."""
    towards = np.sign(dz)
    of_first, of_second = m.climb_fps[first] * towards, -m.climb_fps[second] * towards
    both = (of_first > 0) & (of_second > 0)
    squares = np.where(both, of_first**2 + of_second**2, (of_first + of_second) ** 2)
    way: Array = squares / (2 * np.where(both, BOTH_LEVEL_OFF_FPS2, LEVEL_OFF_FPS2))
    return way


def _committed_ft(m: Motion, first: Array, second: Array, dz: Array, intentions: Intentions) -> Array:
    """How far (ft) pairs are going to come nearer vertically, by what their crews have selected.

    One that keeps away from the other, to an altitude that is not known, may go as far as it likes.
    """
    committed = np.zeros(len(first))
    for side, towards in ((first, np.sign(dz)), (second, -np.sign(dz))):
        to_go = intentions.to_go_ft(m.rows[side], m.alt_ft[side], m.climb_fps[side])
        is_towards = m.climb_fps[side] * towards >= 0
        committed += np.where(is_towards, np.nan_to_num(to_go), -np.nan_to_num(to_go, nan=np.inf))
    return committed


def _horizontal_times(dx: Array, dy: Array, vx: Array, vy: Array, size: Array) -> tuple[Array, Array]:
    """When (s) a pair comes within ``size`` and leaves it: the roots of |r + v t| = size."""
    a, b, c = vx * vx + vy * vy, dx * vx + dy * vy, dx * dx + dy * dy - size * size
    discriminant = b * b - a * c
    with np.errstate(invalid="ignore", divide="ignore"):
        root = np.sqrt(np.maximum(discriminant, 0.0))
        enter, leave = (-b - root) / a, (-b + root) / a
    still = a < 1e-12
    never = np.where(still, c > 0, discriminant < 0)
    enter = np.where(never, np.inf, np.where(still, -np.inf, enter))
    leave = np.where(never, -np.inf, np.where(still, np.inf, leave))
    return enter, leave


def _vertical_times(dz: Array, vz: Array, size: Array) -> tuple[Array, Array]:
    """When (s) the difference of altitude comes within ``size`` and leaves it."""
    with np.errstate(invalid="ignore", divide="ignore"):
        first, second = (-size - dz) / vz, (size - dz) / vz
    still = np.abs(vz) < 1e-9
    # Not on the edge: encoders with steps of 100 ft show pairs at 500 ft as 400 ft apart.
    inside = np.abs(dz) < size
    enter = np.where(still, np.where(inside, -np.inf, np.inf), np.minimum(first, second))
    leave = np.where(still, np.where(inside, np.inf, -np.inf), np.maximum(first, second))
    return enter, leave


def _until_closest(dx: Array, dy: Array, vx: Array, vy: Array, turned_s: Array, enter: Array, leave: Array) -> Array:
    """Time of the horizontally closest point within the time in the box; ``turned_s`` where one of a pair turns."""
    a = vx * vx + vy * vy
    with np.errstate(invalid="ignore", divide="ignore"):
        best = np.where(a > 1e-12, -(dx * vx + dy * vy) / a, 0.0)
    best = np.where(np.isnan(turned_s), best, turned_s)
    return np.clip(best, enter, leave)
