"""A link as a QR code (ISO/IEC 18004), for the camera of a phone; a template draws it."""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

# The quiet zone that the standard asks for, in modules.
BORDER = 4


class QrCode(NamedTuple):
    """The side in modules with its quiet zone, and the path of the dark modules, as SVG has it."""

    side: int
    path: str


def qr_code(text: str) -> QrCode:
    """The code of a text, of medium error correction."""
    # Here: only pages with a link of this kind need it.
    import segno

    rows = [list(row) for row in segno.make(text, error="m", micro=False).matrix_iter(border=BORDER)]
    parts = []
    for y, row in enumerate(rows):
        x = 0
        for is_dark, run in groupby(row):
            length = len(list(run))
            if is_dark:
                parts.append(f"M{x} {y}h{length}v1h-{length}z")
            x += length
    return QrCode(len(rows), "".join(parts))
