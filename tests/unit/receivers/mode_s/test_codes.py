"""Altitude and identity codes against published ones and against what the codes are made to be."""

from __future__ import annotations

import numpy as np
import pytest

from skywatch.receivers.mode_s.codes import (
    ALTITUDE_FT_OF_AC12,
    ALTITUDE_FT_OF_AC13,
    NO_ALTITUDE,
    SQUAWK_OF_ID13,
)
from skywatch.receivers.mode_s.encoder import altitude_code, reply_altitude_code

M_BIT, Q_BIT = 0x40, 0x10


def mode_c(squawk: str) -> int:
    """The 13-bit code of what a Mode C reply would show as a squawk: C1 A1 C2 A2 C4 A4 0 B1 D1 B2 D2 B4 D4."""
    a, b, c, d = (int(digit) for digit in squawk)
    bits = [c & 1, a & 1, c >> 1 & 1, a >> 1 & 1, c >> 2 & 1, a >> 2 & 1, 0,
            b & 1, d & 1, b >> 1 & 1, d >> 1 & 1, b >> 2 & 1, d >> 2 & 1]  # fmt: skip
    return int("".join(map(str, bits)), 2)


@pytest.mark.parametrize(
    ("reply", "altitude_ft"),
    [
        ("0020", -1000),
        ("0620", 0),
        ("0630", 100),
        ("0320", 1000),
        ("1040", 30_700),
        ("0044", 62_700),
        ("0042", 126_700),
    ],
)
def test_hundred_foot_codes_of_the_icao_table(reply, altitude_ft):
    # Height code tables for the ATC radar beacon system (FAA 1962, AD0615818) as recommended by ICAO.
    assert ALTITUDE_FT_OF_AC13[mode_c(reply)] == altitude_ft


def test_hundred_foot_codes_are_a_gray_code_without_gaps():
    codes = np.arange(1 << 13)
    hundreds = codes[(codes & (M_BIT | Q_BIT) == 0) & (ALTITUDE_FT_OF_AC13 != NO_ALTITUDE)]
    by_altitude = hundreds[np.argsort(ALTITUDE_FT_OF_AC13[hundreds])]
    assert ALTITUDE_FT_OF_AC13[by_altitude].tolist() == list(range(-1200, 126_701, 100))
    changed = by_altitude[1:] ^ by_altitude[:-1]
    assert (changed & (changed - 1) == 0).all()


def test_published_twenty_five_foot_codes():
    # "The 1090 Megahertz Riddle", surveillance replies and airborne position: 36,000 ft, 38,000 ft.
    assert ALTITUDE_FT_OF_AC13[int("2000171806A983"[4:8], 16) & 0x1FFF] == 36_000
    assert ALTITUDE_FT_OF_AC12[0b110000111000] == 38_000


def test_every_twenty_five_foot_altitude_round_trips():
    for altitude_ft in range(-1000, 50_176, 25):
        assert ALTITUDE_FT_OF_AC12[altitude_code(altitude_ft)] == altitude_ft
        assert ALTITUDE_FT_OF_AC13[reply_altitude_code(altitude_ft)] == altitude_ft


def test_metres_and_nothing():
    assert ALTITUDE_FT_OF_AC13[M_BIT | 1000 % 64 | (1000 // 64) << 7] == round(1000 / 0.3048)
    assert ALTITUDE_FT_OF_AC13[0] == ALTITUDE_FT_OF_AC12[0] == NO_ALTITUDE


def test_squawks():
    # "The 1090 Megahertz Riddle", identity code.
    assert SQUAWK_OF_ID13[0b1000101101101] == 356
    for squawk in ("7500", "7600", "7700", "0000", "7777", "1200", "2312"):
        assert SQUAWK_OF_ID13[mode_c(squawk)] == int(squawk)
    assert len(set(SQUAWK_OF_ID13.tolist())) == 4096
