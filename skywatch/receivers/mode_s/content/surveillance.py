"""Replies to radars and to other aircraft: DF0, 4, 5, 11, 16, 20 and 21.

ICAO Annex 10 volume IV, 3.1.2.6 and 3.1.2.8; "The 1090 Megahertz Riddle", part "Mode S". The callsign of register
2,0 is left to the decoder, which has the aircraft's history.
"""

from __future__ import annotations

import numpy as np

from skywatch.receivers.framing.frames import Column
from skywatch.receivers.mode_s.content import acas
from skywatch.receivers.mode_s.content.codes import ALTITUDE_FT_OF_AC13, NO_ALTITUDE, SQUAWK_OF_ID13
from skywatch.receivers.mode_s.decoded import Decoded
from skywatch.receivers.mode_s.frames.bits import message_field

# Flight status -> alert, identification (SPI), and whether it says "on the ground"; 6 and 7 are not assigned.
# "Airborne" is also sent by aircraft that cannot tell, so that only "on the ground" is a statement.
_ALERT = np.array([0, 0, 1, 1, 1, 0, 0, 0], np.int8)
_SPI = np.array([0, 0, 0, 0, 1, 1, 0, 0], np.int8)
_ON_GROUND = np.array([False, True, False, True, False, False, False, False])
_CA_ON_GROUND, _CA_AIRBORNE = 4, 5


def decode_capability(out: Decoded, rows: Column, capability: Column) -> None:
    """The ground state in the capability field of DF11 and DF17, for the values that have one."""
    has_state = (capability == _CA_ON_GROUND) | (capability == _CA_AIRBORNE)
    out.put_where("on_ground", has_state, rows, capability == _CA_ON_GROUND)


def decode_replies(out: Decoded, rows: Column, df: Column, head: Column, tail: Column) -> None:
    """DF0, 4, 5, 16, 20 and 21."""
    to_aircraft = (df == 0) | (df == 16)
    code = (head >> 32) & 0x1FFF
    is_identity = (df == 5) | (df == 21)
    altitude_ft = np.where(is_identity, NO_ALTITUDE, ALTITUDE_FT_OF_AC13[code])
    out.put_where("alt_baro", altitude_ft != NO_ALTITUDE, rows, altitude_ft)
    # Transponders without a code send all zeros.
    out.put_where("squawk", is_identity & (code != 0), rows, SQUAWK_OF_ID13[code])
    status = (head >> 56) & 7
    assigned = ~to_aircraft & (status < 6)
    out.put_where("alert", assigned, rows, _ALERT[status])
    out.put_where("spi", assigned, rows, _SPI[status])
    vertical_status = ((head >> 58) & 1).astype(np.bool_)
    on_ground = np.where(to_aircraft, vertical_status, _ON_GROUND[status])
    out.put_where("on_ground", on_ground, rows, on_ground)
    _advisories(out, rows, df, head, tail)


def _advisories(out: Decoded, rows: Column, df: Column, head: Column, tail: Column) -> None:
    is_long = df >= 16
    if is_long.any():
        content = message_field(head[is_long], tail[is_long])
        out.put_where("acas_ra", acas.plausible_register(content), rows[is_long], content)
