"""Airborne velocity: type code 19, subtypes 1-4.

DO-260B 2.2.3.2.6; ICAO Doc 9871, table A-2-9; "The 1090 Megahertz Riddle", chapter "Airborne velocity". A value at
the top of its range means "out of range" and is dropped.
"""

from __future__ import annotations

import numpy as np

from skywatch.receivers.framing.frames import Column
from skywatch.receivers.mode_s.bits import field, flag
from skywatch.receivers.mode_s.decoded import Decoded

SUPERSONIC_STEP = 4
OVERFLOW_10_BITS = 0x3FF
OVERFLOW_9_BITS = 0x1FF
OVERFLOW_7_BITS = 0x7F


def decode_velocity(out: Decoded, rows: Column, me: Column, true_heading: Column) -> tuple[Column, Column]:
    """Set the fields of velocity squitters; ``true_heading`` ?[n]: this aircraft's headings are true, not magnetic.

    Returns where there is a difference between geometric and barometric altitude ?[n], and the difference (ft).
    """
    subtype = field(me, 6, 8)
    is_defined = (subtype >= 1) & (subtype <= 4)
    has_difference, difference_ft = _altitude_difference(me)
    has_difference &= is_defined
    if not is_defined.all():
        rows, me, subtype, true_heading = (
            rows[is_defined],
            me[is_defined],
            subtype[is_defined],
            true_heading[is_defined],
        )
    out.put("nac_v", rows, field(me, 11, 13))
    over_ground = subtype <= 2
    step = np.where(subtype & 1, 1, SUPERSONIC_STEP)
    if over_ground.all():
        _ground_speed(out, rows, me, step)
    else:
        _ground_speed(out, rows[over_ground], me[over_ground], step[over_ground])
        through_air = ~over_ground
        _airspeed(out, rows[through_air], me[through_air], step[through_air], true_heading[through_air])
    _vertical_rate(out, rows, me)
    return has_difference, difference_ft


def _ground_speed(out: Decoded, rows: Column, me: Column, step: Column) -> None:
    east_code, north_code = field(me, 15, 24), field(me, 26, 35)
    east = np.where(flag(me, 14), -step, step) * (east_code - 1)
    north = np.where(flag(me, 25), -step, step) * (north_code - 1)
    valid = (east_code > 0) & (north_code > 0) & (east_code < OVERFLOW_10_BITS) & (north_code < OVERFLOW_10_BITS)
    speed = np.hypot(east, north)
    out.put_where("gs", valid, rows, speed)
    out.put_where("track", valid & (speed > 0), rows, np.degrees(np.arctan2(east, north)) % 360.0)


def _airspeed(out: Decoded, rows: Column, me: Column, step: Column, true_heading: Column) -> None:
    heading = field(me, 15, 24) * (360.0 / 1024.0)
    has_heading = flag(me, 14)
    out.put_where("true_heading", has_heading & true_heading, rows, heading)
    out.put_where("mag_heading", has_heading & ~true_heading, rows, heading)
    code = field(me, 26, 35)
    valid = (code > 0) & (code < OVERFLOW_10_BITS)
    speed = (code - 1) * step
    is_true_airspeed = flag(me, 25)
    out.put_where("tas", valid & is_true_airspeed, rows, speed)
    out.put_where("ias", valid & ~is_true_airspeed, rows, speed)


def _vertical_rate(out: Decoded, rows: Column, me: Column) -> None:
    code = field(me, 38, 46)
    valid = (code > 0) & (code < OVERFLOW_9_BITS)
    rate = np.where(flag(me, 37), -64, 64) * (code - 1)
    barometric = flag(me, 36)
    out.put_where("baro_rate", valid & barometric, rows, rate)
    out.put_where("geom_rate", valid & ~barometric, rows, rate)


def _altitude_difference(me: Column) -> tuple[Column, Column]:
    code = field(me, 50, 56)
    valid = (code > 0) & (code < OVERFLOW_7_BITS)
    difference_ft = np.where(flag(me, 49), -25, 25) * (code - 1)
    return valid, difference_ft
