"""Aircraft status (type code 28), the squawk in test messages (23), and operational status (31).

DO-260B 2.2.3.2.7.8 and 2.2.3.2.7.2; ICAO Doc 9871, tables B-2-97a/b and C-2-101. What an operational status says
of how other squitters are to be read is returned, so that the decoder can remember it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skywatch.receivers.framing.frames import Column
from skywatch.receivers.mode_s.acas import has_advisory
from skywatch.receivers.mode_s.bits import field, flag
from skywatch.receivers.mode_s.codes import SQUAWK_OF_ID13
from skywatch.receivers.mode_s.decoded import Decoded
from skywatch.receivers.mode_s.frames.order import Frames

NEWEST_VERSION = 2
TRACK, TRUE_HEADING, MAGNETIC_HEADING = 0, 1, 2
SIL_UNKNOWN, SIL_PER_HOUR, SIL_PER_SAMPLE = 0, 1, 2


def decode_aircraft_status(out: Decoded, rows: Column, me: Column) -> None:
    """Type code 28: emergency and squawk (subtype 1), resolution advisory (subtype 2)."""
    subtype = field(me, 6, 8)
    emergency = subtype == 1
    out.put_where("emergency", emergency, rows, field(me, 9, 11))
    identity = field(me, 12, 24)
    out.put_where("squawk", emergency & (identity != 0), rows, SQUAWK_OF_ID13[identity])
    out.put_where("acas_ra", (subtype == 2) & has_advisory(me), rows, me)


def decode_test_message(out: Decoded, rows: Column, me: Column) -> None:
    """Type code 23 subtype 7: the squawk, as version 0 transponders of the United States send it."""
    identity = field(me, 9, 21)
    out.put_where("squawk", (field(me, 6, 8) == 7) & (identity != 0), rows, SQUAWK_OF_ID13[identity])


class OperationalStatus(NamedTuple):
    """The fields of operational status messages that other messages depend on; one entry for each frame."""

    frames: Frames
    version: Column  # i1: 0, 1 or 2 (a newer version is read as 2)
    nic_a: Column  # ?: NIC supplement A
    nic_c: Column  # ?: NIC supplement C
    true_heading: Column  # ?: headings are true, not magnetic
    surface: Column  # ?: a surface message, the only ones with nic_c and surface_heading
    surface_heading: Column  # i1: the direction in surface positions is TRACK, TRUE_HEADING or MAGNETIC_HEADING


def decode_operational_status(out: Decoded, frames: Frames, me: Column) -> OperationalStatus:
    """Type code 31, subtypes 0 (airborne) and 1 (surface), in versions 0 to 2."""
    subtype = field(me, 6, 8)
    is_defined = subtype <= 1
    frames, me, subtype = frames.where(is_defined), me[is_defined], subtype[is_defined]
    rows = frames.rows
    version = np.minimum(field(me, 41, 43), NEWEST_VERSION)
    out.put("version", rows, field(me, 41, 43))
    surface = subtype == 1
    has_accuracy = version >= 1
    second = version == 2
    out.put_where("nac_p", has_accuracy, rows, field(me, 45, 48))
    out.put_where("sil", has_accuracy, rows, field(me, 51, 52))
    sil_type = np.where(second, np.where(flag(me, 55), SIL_PER_SAMPLE, SIL_PER_HOUR), SIL_UNKNOWN)
    out.put_where("sil_type", has_accuracy, rows, sil_type)
    out.put_where("nic_baro", has_accuracy & ~surface, rows, field(me, 53, 53))
    out.put_where("gva", second & ~surface, rows, field(me, 49, 50))
    out.put_where("sda", second & (field(me, 25, 26) == 0), rows, field(me, 31, 32))
    out.put_where("nac_v", second & surface & (field(me, 9, 10) == 0), rows, field(me, 17, 19))
    true_heading = has_accuracy & ~flag(me, 54)
    surface_heading = np.where(
        surface & has_accuracy & flag(me, 53), np.where(true_heading, TRUE_HEADING, MAGNETIC_HEADING), TRACK
    )
    return OperationalStatus(
        frames=frames,
        version=version.astype(np.int8),
        nic_a=has_accuracy & flag(me, 44),
        nic_c=second & surface & (field(me, 9, 10) == 0) & flag(me, 20),
        true_heading=true_heading,
        surface=surface,
        surface_heading=surface_heading.astype(np.int8),
    )
