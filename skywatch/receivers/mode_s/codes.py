"""Tables for the altitude and identity codes of Mode S: every code is decoded once, frames are looked up.

Bit names follow ICAO Annex 10 volume IV, 3.1.1.6 and 3.1.2.6.5.4: a 13-bit code is, from its first bit,
C1 A1 C2 A2 C4 A4 M|X B1 Q|D1 B2 D2 B4 D4.
"""

from __future__ import annotations

import numpy as np

from skywatch.core.geo import FEET_PER_METRE
from skywatch.receivers.framing.frames import Column

NO_ALTITUDE = np.iinfo(np.int32).min


def _bit(codes: Column, bit: int) -> Column:
    """Bit ``bit`` (1 is the first of 13) of each code."""
    return (codes >> (13 - bit)) & 1


def _octal_digits(codes: Column) -> tuple[Column, Column, Column, Column]:
    """The digits A, B, C, D of the code as Mode A replies carry them (4 2 1)."""
    a = _bit(codes, 6) * 4 + _bit(codes, 4) * 2 + _bit(codes, 2)
    b = _bit(codes, 12) * 4 + _bit(codes, 10) * 2 + _bit(codes, 8)
    c = _bit(codes, 5) * 4 + _bit(codes, 3) * 2 + _bit(codes, 1)
    d = _bit(codes, 13) * 4 + _bit(codes, 11) * 2 + _bit(codes, 9)
    return a, b, c, d


def _from_gray(gray: Column) -> Column:
    """Binary of a reflected (Gray) code of up to 8 bits."""
    binary = gray.copy()
    for shift in (1, 2, 4):
        binary ^= binary >> shift
    return binary


def _gillham_ft(codes: Column) -> Column:
    """Altitude (ft) of 100 ft codes, NO_ALTITUDE where the code is not one.

    ICAO Annex 10 volume IV, appendix to chapter 3 ("SSR automatic pressure-altitude transmission code"): the bits
    D2 D4 A1 A2 A4 B1 B2 B4 are a Gray code of 500 ft steps, C1 C2 C4 one of five 100 ft steps that runs backwards
    in every other 500 ft; -1,200 ft is the lowest.
    """
    a, b, c, d = _octal_digits(codes)
    d1, d2, d4 = d & 1, (d >> 1) & 1, (d >> 2) & 1
    reverse = np.array([0, 4, 2, 6, 1, 5, 3, 7])  # digits are 4 2 1, the Gray code wants 1 2 4
    five_hundreds = _from_gray((d2 << 7) | (d4 << 6) | (reverse[a] << 3) | reverse[b])
    hundreds = _from_gray(reverse[c])
    valid = (d1 == 0) & ~np.isin(hundreds, (0, 5, 6))
    hundreds = np.where(hundreds == 7, 5, hundreds)
    hundreds = np.where(five_hundreds % 2 == 1, 6 - hundreds, hundreds)
    altitude_ft = five_hundreds * 500 + hundreds * 100 - 1300
    return np.where(valid, altitude_ft, NO_ALTITUDE)


def _altitudes_ft() -> Column:
    codes = np.arange(1 << 13)
    without_m_and_q = ((codes & 0x1F80) >> 2) | ((codes & 0x20) >> 1) | (codes & 0xF)
    without_m = ((codes & 0x1F80) >> 1) | (codes & 0x3F)
    altitude_ft = np.where(_bit(codes, 9) == 1, without_m_and_q * 25 - 1000, _gillham_ft(codes))
    metric_ft = np.round(without_m * FEET_PER_METRE).astype(np.int64)
    altitude_ft = np.where(_bit(codes, 7) == 1, metric_ft, altitude_ft)
    altitude_ft[0] = NO_ALTITUDE
    return altitude_ft.astype(np.int32)


def _squawks() -> Column:
    a, b, c, d = _octal_digits(np.arange(1 << 13))
    result: Column = (a * 1000 + b * 100 + c * 10 + d).astype(np.int16)
    return result


# 13-bit altitude code -> feet, NO_ALTITUDE for none. Doc: 25 ft steps with Q, 100 ft (Gillham) without, metres with M.
ALTITUDE_FT_OF_AC13 = _altitudes_ft()
# 12-bit altitude of an airborne position squitter: the same without the M bit, which is taken as zero.
_AC12 = np.arange(1 << 12)
ALTITUDE_FT_OF_AC12 = ALTITUDE_FT_OF_AC13[((_AC12 & 0xFC0) << 1) | (_AC12 & 0x3F)]
# 13-bit identity code -> the four octal digits read as a decimal number (7700 is squawk 7700).
SQUAWK_OF_ID13 = _squawks()
