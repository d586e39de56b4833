"""The sender of a frame: address and kind of source of squitters, and the validity of an address.

Control field and IMF bit of DF18: DO-260B 2.2.3.2.1.2 and 2.2.17.3; the names of sources are readsb's, as is that
an address which is not an ICAO address is marked.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skywatch.receivers.framing.frames import Column
from skywatch.receivers.mode_s.aircraft_table import ADSR, DIRECT, MLAT, NON_ICAO, TISB
from skywatch.receivers.mode_s.bits import message_field
from skywatch.receivers.mode_s.decoded import SOURCE

ADDRESS_BITS = 0xFFFFFF
_ALL_CALL = 11
_DF18 = 18
COARSE_TISB = 3

# Control field -> kind of source, flag of the address, whether the IMF bit tells more, whether it is an aircraft.
_KIND = np.array([DIRECT, DIRECT, TISB, TISB, 0, TISB, ADSR, 0], np.int32)
_FLAG = np.array([0, NON_ICAO, 0, 0, 0, NON_ICAO, 0, 0], np.int32)
_HAS_IMF = np.array([False, False, True, True, False, False, True, False])
_IS_AIRCRAFT = np.array([True, True, True, True, False, True, True, False])
_SOURCE = np.array(
    [SOURCE[name] for name in (
        "adsb_icao_nt", "adsb_other", "tisb_icao", "tisb_icao", "other", "tisb_other", "adsr_icao", "other",
    )],
    np.uint8,
)  # fmt: skip
_SOURCE_WITH_IMF = np.array(
    [SOURCE[name] for name in (
        "adsb_icao_nt", "adsb_other", "tisb_trackfile", "tisb_trackfile", "other", "tisb_other", "adsr_other", "other",
    )],
    np.uint8,
)  # fmt: skip

# Type code -> how far right the IMF bit stands in the 56 bits of the message, 63 (always 0) where there is none.
_IMF_SHIFT = np.full(32, 63)
_IMF_SHIFT[[0, *range(9, 19), 20, 21, 22]] = 56 - 8
_IMF_SHIFT[5:9] = 56 - 21
_IMF_SHIFT[19] = 56 - 9
_IMF_SHIFT[[28, 31]] = 0
_IMF_SHIFT[29] = 56 - 51


class Addresses(NamedTuple):
    """Of each frame: key of its aircraft, source, whether it is an aircraft."""

    keys: Column  # i4
    sources: Column  # u1, index into decoded.SOURCES
    aircraft: Column  # ?


def squitter_addresses(df: Column, head: Column, tail: Column, rows: Column, mlat: Column) -> Addresses:
    """The addresses of good DF11, DF17 and DF18 frames in these ``rows``; ``tail`` and ``mlat`` are of all frames."""
    address = ((head >> 32) & ADDRESS_BITS).astype(np.int32)
    is_df18 = df == _DF18
    sources = np.where(df == _ALL_CALL, SOURCE["mode_s"], SOURCE["adsb_icao"])
    if not (is_df18.any() or mlat.any()):
        return Addresses(address, sources, is_address(address))
    me, mlat = message_field(head, tail[rows]), mlat[rows]
    control = (head >> 56) & 7
    imf = (me >> np.where(control == COARSE_TISB, 55, _IMF_SHIFT[me >> 51])) & 1
    imf = is_df18 & _HAS_IMF[control] & imf.astype(np.bool_)
    flags = np.where(imf, NON_ICAO, np.where(is_df18, _FLAG[control], 0))
    kind = np.where(mlat, MLAT, np.where(is_df18, _KIND[control], DIRECT))
    sources = np.where(is_df18, np.where(imf, _SOURCE_WITH_IMF[control], _SOURCE[control]), sources)
    sources = np.where(mlat, SOURCE["mlat"], sources)
    aircraft = np.where(is_df18, _IS_AIRCRAFT[control], True) & is_address(address)
    return Addresses((address | flags | kind).astype(np.int32), sources, aircraft)


def is_address(address: Column) -> Column:
    """?[n]: whether an address can be an aircraft's; all zeros and all ones cannot (ICAO Annex 10 volume III, 9)."""
    result: Column = (address != 0) & (address != ADDRESS_BITS)
    return result
