"""Callsign and category: type codes 1-4 (DO-260B 2.2.3.2.5) and Comm-B register 2,0 (ICAO Doc 9871, table A-2-32)."""

from __future__ import annotations

from skywatch.receivers.framing.frames import Column
from skywatch.receivers.mode_s.bits import field
from skywatch.receivers.mode_s.decoded import Decoded
from skywatch.receivers.mode_s.values import VALID_CHARACTER, characters

REGISTER = 0x20
SPACE = 32
_BLANK = int.from_bytes(bytes([0x82, 0x08, 0x20] * 2), "big")  # eight spaces


def decode_identification(out: Decoded, rows: Column, me: Column, type_code: Column) -> tuple[Column, Column]:
    """Squitters with type codes 1-4: ``category``, and ``flight`` where all eight characters are ones.

    Returns where there is a callsign ?[n], and the callsigns i8[n].
    """
    out.put("category", rows, ((0x0E - type_code) << 4) | field(me, 6, 8))
    flight = field(me, 9, 56)
    valid = VALID_CHARACTER[characters(flight)].all(axis=1) & (flight != _BLANK)
    out.put_where("flight", valid, rows, flight)
    return valid, flight


def plausible_register(mb: Column) -> Column:
    """?[n]: whether a register whose number is unknown can only be 2,0 with a callsign in it.

    Its number stands in the first eight bits; behind it are at least three letters or digits and then nothing but
    spaces.
    """
    text = characters(field(mb, 9, 56))
    is_space = text == SPACE
    gap = is_space[:, :-1] & ~is_space[:, 1:]
    result: Column = (
        (field(mb, 1, 8) == REGISTER)
        & VALID_CHARACTER[text].all(axis=1)
        & ~gap.any(axis=1)
        & ~is_space[:, :3].any(axis=1)
    )
    return result
