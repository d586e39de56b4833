"""Target state and status: type code 29, the crew's settings of the autopilot.

Subtype 1 is that of version 2 (DO-260B 2.2.3.2.7.1; ICAO Doc 9871, table C-2-98), subtype 0 that of version 1
(DO-260A 2.2.3.2.7.1; Doc 9871, table B-2-98).
"""

from __future__ import annotations

import numpy as np

from skywatch.receivers.framing.frames import Column
from skywatch.receivers.mode_s.bits import field, flag
from skywatch.receivers.mode_s.content.status import SIL_UNKNOWN
from skywatch.receivers.mode_s.decoded import Decoded
from skywatch.receivers.reports.report import NAV_MODES

_AUTOPILOT, _VNAV, _ALTHOLD, _APPROACH, _LNAV, _TCAS = (1 << k for k in range(len(NAV_MODES)))
# Version 1: where the target altitude comes from, and what horizontal and vertical mode say.
_FROM_PANEL, _HOLDING, _FROM_FMS = 1, 2, 3
_ACQUIRING, _MAINTAINING = 1, 2


def decode_target_state(out: Decoded, rows: Column, me: Column) -> None:
    """Set the fields of target state squitters."""
    subtype = field(me, 6, 7)
    second = subtype == 1
    first = (subtype == 0) & ~flag(me, 11)
    _both(out, rows[first | second], me[first | second])
    _version_2(out, rows[second], me[second])
    if first.any():
        _version_1(out, rows[first], me[first])


def _both(out: Decoded, rows: Column, me: Column) -> None:
    out.put("nac_p", rows, field(me, 40, 43))
    out.put("nic_baro", rows, field(me, 44, 44))
    out.put("sil", rows, field(me, 45, 46))


def _version_2(out: Decoded, rows: Column, me: Column) -> None:
    altitude = field(me, 10, 20)
    from_fms = flag(me, 9)
    out.put_where("nav_altitude_fms", (altitude != 0) & from_fms, rows, (altitude - 1) * 32)
    out.put_where("nav_altitude_mcp", (altitude != 0) & ~from_fms, rows, (altitude - 1) * 32)
    pressure = field(me, 21, 29)
    out.put_where("nav_qnh", pressure != 0, rows, 800.0 + (pressure - 1) * 0.8)
    # The sign bit adds 180 degrees: the nine bits are an angle from 0 to 360.
    out.put_where("nav_heading", flag(me, 30), rows, field(me, 31, 39) * (180.0 / 256.0))
    modes = (
        flag(me, 48) * _AUTOPILOT
        | flag(me, 49) * _VNAV
        | flag(me, 50) * _ALTHOLD
        | flag(me, 52) * _APPROACH
        | flag(me, 53) * _TCAS
        | flag(me, 54) * _LNAV
    )
    out.put_where("nav_modes", flag(me, 47), rows, modes)


def _version_1(out: Decoded, rows: Column, me: Column) -> None:
    out.put("sil_type", rows, np.full(len(rows), SIL_UNKNOWN))
    source = field(me, 8, 9)
    altitude_ft = field(me, 16, 25) * 100 - 1000
    out.put_where("nav_altitude_mcp", source == _FROM_PANEL, rows, altitude_ft)
    out.put_where("nav_altitude_fms", source == _FROM_FMS, rows, altitude_ft)
    horizontal_source = field(me, 26, 27)
    angle = field(me, 28, 36)
    # Bit 37: the angle is a track, which readsb's nav_heading is not.
    out.put_where("nav_heading", (horizontal_source != 0) & (angle < 360) & ~flag(me, 37), rows, angle)
    vertical_mode, horizontal_mode, tcas = field(me, 14, 15), field(me, 38, 39), field(me, 52, 53)
    vertical = (vertical_mode == _ACQUIRING) | (vertical_mode == _MAINTAINING)
    holding = (vertical_mode == _MAINTAINING) & (source == _HOLDING)
    horizontal = (horizontal_mode == _ACQUIRING) | (horizontal_mode == _MAINTAINING)
    from_fms = horizontal_source == _FROM_FMS
    modes = np.zeros(len(rows), np.int64)
    modes |= np.where(vertical & (source == _FROM_FMS), _VNAV, 0)
    modes |= np.where(holding, _ALTHOLD, 0)
    modes |= np.where(vertical & (source != _FROM_FMS) & ~holding, _AUTOPILOT, 0)
    modes |= np.where(horizontal, np.where(from_fms, _LNAV, _AUTOPILOT), 0)
    modes |= np.where(tcas >= 2, _TCAS, 0)
    out.put_where("nav_modes", vertical | horizontal | (tcas != 0), rows, modes)
    out.put("emergency", rows, field(me, 54, 56))
