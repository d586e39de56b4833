"""Replies to radars and to other aircraft: DF0, 4, 5, 11, 16, 20 and 21.

ICAO Annex 10 volume IV, 3.1.2.6 and 3.1.2.8; "The 1090 Megahertz Riddle", part "Mode S". The callsign of register
2,0 is left to the decoder, which has the aircraft's history.
"""

from __future__ import annotations

import numpy as np

from skywatch.receivers.framing.frames import Column
from skywatch.receivers.mode_s import acas
from skywatch.receivers.mode_s.bits import message_field
from skywatch.receivers.mode_s.codes import ALTITUDE_FT_OF_AC13, NO_ALTITUDE, SQUAWK_OF_ID13
from skywatch.receivers.mode_s.decoded import Decoded

# What a reply says as single bits.
ON_GROUND, ALERT, SPI = 1, 2, 4
# By flight status; 6 and 7 are not assigned. "Airborne" is also sent by aircraft that cannot tell, so that only "on the
# ground" is a statement.
_STATES = np.array([0, ON_GROUND, ALERT, ALERT | ON_GROUND, ALERT | SPI, SPI, 0, 0], np.uint8)
_CA_ON_GROUND, _CA_AIRBORNE = 4, 5


def decode_capability(out: Decoded, rows: Column, capability: Column) -> None:
    """The ground state in the capability field of DF11 and DF17, for the values that have one."""
    has_state = (capability == _CA_ON_GROUND) | (capability == _CA_AIRBORNE)
    out.put_where("on_ground", has_state, rows, capability == _CA_ON_GROUND)


def decode_replies(out: Decoded, rows: Column, df: Column, head: Column, tail: Column, states: Column) -> None:
    """DF0, 4, 5, 16, 20 and 21; ``states`` u1[n] are those of ``said_states`` that are believed."""
    to_aircraft = (df == 0) | (df == 16)
    code = (head >> 32) & 0x1FFF
    is_identity = (df == 5) | (df == 21)
    altitude_ft = np.where(is_identity, NO_ALTITUDE, ALTITUDE_FT_OF_AC13[code])
    out.put_where("alt_baro", altitude_ft != NO_ALTITUDE, rows, altitude_ft)
    # Transponders without a code send all zeros.
    out.put_where("squawk", is_identity & (code != 0), rows, SQUAWK_OF_ID13[code])
    said = said_states(to_aircraft, head)
    assigned = ~to_aircraft & ((head >> 56) & 7 < 6)
    for name, state in (("alert", ALERT), ("spi", SPI)):
        # What is not believed is left out: it is neither set nor ended.
        out.put_where(name, assigned & (said & state == states & state), rows, ((states & state) != 0).astype(np.int8))
    on_ground = (states & ON_GROUND) != 0
    out.put_where("on_ground", on_ground, rows, on_ground)
    _advisories(out, rows, df, head, tail)


def said_states(to_aircraft: Column, head: Column) -> Column:
    """What replies say as single bits, u1[n] of ON_GROUND, ALERT and SPI."""
    status = _STATES[(head >> 56) & 7]
    vertical_status = ((head >> 58) & 1).astype(np.uint8) * np.uint8(ON_GROUND)
    result: Column = np.where(to_aircraft, vertical_status, status)
    return result


def _advisories(out: Decoded, rows: Column, df: Column, head: Column, tail: Column) -> None:
    is_long = df >= 16
    if is_long.any():
        content = message_field(head[is_long], tail[is_long])
        out.put_where("acas_ra", acas.plausible_register(content), rows[is_long], content)
