"""The fields of position squitters other than the position: type codes 0, 5-8 (surface) and 9-18, 20-22 (airborne).

DO-260B 2.2.3.2.3 and 2.2.3.2.4; ICAO Doc 9871, tables A-2-5 and A-2-6.
"""

from __future__ import annotations

import numpy as np

from skywatch.receivers.framing.frames import Column
from skywatch.receivers.mode_s.bits import field, flag
from skywatch.receivers.mode_s.codes import ALTITUDE_FT_OF_AC12, NO_ALTITUDE
from skywatch.receivers.mode_s.decoded import Decoded
from skywatch.receivers.mode_s.values import ON_GROUND_ALT

CA_ON_GROUND = 4


def _movements_kt() -> Column:
    """Ground speed of each movement code, the lower end of its range; NaN for none (Doc 9871, A.2.3.3.1)."""
    speeds = np.full(128, np.nan)
    speeds[1] = 0.0
    for first, last, lowest, step in (
        (2, 8, 0.125, 0.125), (9, 12, 1.0, 0.25), (13, 38, 2.0, 0.5),
        (39, 93, 15.0, 1.0), (94, 108, 70.0, 2.0), (109, 123, 100.0, 5.0), (124, 124, 175.0, 0.0),
    ):  # fmt: skip
        speeds[first : last + 1] = lowest + step * np.arange(last - first + 1)
    return speeds


MOVEMENT_KT = _movements_kt()


def decode_airborne(out: Decoded, rows: Column, me: Column, type_code: Column, capability: Column) -> Column:
    """Altitude, alert and identification (SPI) of airborne positions; returns barometric altitude i4[n] (ft).

    An aircraft that says by its ``capability`` (DF17, else 0) that it is on the ground is not called airborne.
    """
    out.put_where("on_ground", capability != CA_ON_GROUND, rows, np.zeros(len(rows), np.bool_))
    status = field(me, 6, 7)
    out.put("alert", rows, ((status == 1) | (status == 2)).astype(np.int8))
    # The alert states override the identification, so that it is not known then.
    out.put_where("spi", (status == 0) | (status == 3), rows, (status == 3).astype(np.int8))
    altitude_ft = ALTITUDE_FT_OF_AC12[field(me, 9, 20)]
    valid = altitude_ft != NO_ALTITUDE
    geometric = type_code >= 20
    if geometric.any():
        out.put_where("alt_geom", valid & geometric, rows, altitude_ft)
        valid &= ~geometric
        altitude_ft = np.where(geometric, NO_ALTITUDE, altitude_ft)
    out.put_where("alt_baro", valid, rows, altitude_ft)
    return np.asarray(altitude_ft)


def decode_surface(out: Decoded, rows: Column, me: Column, heading_is: Column) -> Column:
    """Ground speed and track of surface positions; returns the ground speed f8[n] (kt, NaN for none).

    ``heading_is`` i1[n]: what the direction of this aircraft is, 0 its track, 1 its true, 2 its magnetic heading.
    """
    out.put("on_ground", rows, np.ones(len(rows), np.bool_))
    out.put("alt_baro", rows, np.full(len(rows), ON_GROUND_ALT, np.int32))
    speed = MOVEMENT_KT[field(me, 6, 12)]
    out.put_where("gs", ~np.isnan(speed), rows, speed)
    direction = field(me, 14, 20) * (360.0 / 128.0)
    valid = flag(me, 13)
    for code, name in enumerate(("track", "true_heading", "mag_heading")):
        out.put_where(name, valid & (heading_is == code), rows, direction)
    return np.asarray(speed)
