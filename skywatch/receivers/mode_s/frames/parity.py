"""The parity of Mode S: a 24-bit cyclic redundancy check, overlaid with an address or an interrogator's code.

Generator polynomial and overlay are those of ICAO Annex 10 volume IV, 3.1.2.3.3 ("The 1090 Megahertz Riddle",
J. Sun, chapter "Error control"). The check of a frame is the XOR of one contribution for each of its bytes, so a
batch is checked by table lookup.
"""

from __future__ import annotations

import numpy as np

from skywatch.receivers.framing.frames import LONG_BYTES, SHORT_BYTES, Column

GENERATOR = 0x1FFF409


def _table() -> Column:
    """u4[15, 256]: what byte value *b* at position *p* of a 14-byte frame adds; row 14 is zero (no byte)."""
    table = np.zeros((LONG_BYTES + 1, 256), np.uint32)
    # The last three bytes are the parity itself.
    for position, shift in ((13, 0), (12, 8), (11, 16)):
        table[position] = np.arange(256, dtype=np.uint32) << shift
    for position in range(10, -1, -1):
        remainder = table[position + 1]
        for _ in range(8):
            remainder = (remainder << 1) ^ np.where(remainder & 0x800000, GENERATOR, 0).astype(np.uint32)
        table[position] = remainder
    return table


_TABLE = _table().ravel()
_NOTHING = LONG_BYTES * 256
# Where in the table byte 0..13 of a row is looked up, for short (column 0) and long (column 1) frames.
_OFFSETS = np.array(
    [[256 * (i + LONG_BYTES - SHORT_BYTES) if i < SHORT_BYTES else _NOTHING, 256 * i] for i in range(LONG_BYTES)],
    np.int16,
)


def remainders(data: Column, is_long: Column) -> Column:
    """u4[n]: what is left when the check is taken from the parity field of each frame.

    0 for a good frame whose parity is plain (DF17/18), the interrogator's code for a good DF11, the address for a
    good DF0/4/5/16/20/21. ``data`` u1[n, 16], ``is_long`` ?[n] whether the frame has 14 bytes (else 7).
    """
    index = _OFFSETS.take(is_long.astype(np.intp), axis=1)
    index += data.T[:LONG_BYTES]
    return np.asarray(np.bitwise_xor.reduce(_TABLE.take(index), axis=0))


def with_parity(frame: bytes, overlay: int = 0) -> bytes:
    """A frame whose last three bytes are replaced by its parity, XORed with an address or interrogator's code."""
    row = np.zeros((1, 16), np.uint8)
    row[0, : len(frame) - 3] = np.frombuffer(frame[:-3], np.uint8)
    check = int(remainders(row, np.array([len(frame) == LONG_BYTES]))[0])
    return frame[:-3] + (check ^ overlay).to_bytes(3, "big")
