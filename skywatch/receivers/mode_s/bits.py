"""Reading fields out of frames that stand in NumPy columns."""

from __future__ import annotations

import numpy as np

from skywatch.receivers.framing.frames import Column

ME_BITS = 56


def words(data: Column) -> tuple[Column, Column]:
    """Bytes 0-7 and 8-15 of every row as i8[n]; the sign is of no matter, fields are shifted and masked."""
    pairs = np.ascontiguousarray(data).view(">i8").astype(np.int64)
    return pairs[:, 0], pairs[:, 1]


def message_field(head: Column, tail: Column) -> Column:
    """The 56-bit ME, MB or MV field (bytes 4-10 of a long frame) as i8[n]."""
    return ((head & 0xFFFFFFFF) << 24) | ((tail >> 40) & 0xFFFFFF)


def field(me: Column, first: int, last: int) -> Column:
    """Bits ``first`` to ``last`` of a 56-bit field, counted from 1 as the standards count them."""
    return (me >> (ME_BITS - last)) & ((1 << (last - first + 1)) - 1)


def flag(me: Column, bit: int) -> Column:
    """One bit of a 56-bit field as ?[n]."""
    return ((me >> (ME_BITS - bit)) & 1).astype(np.bool_)
