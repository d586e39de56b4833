"""Callsigns from Comm-B replies (DF20/21), if it is certain enough that register 2,0 was sent.

A reply does not name its register. It is decoded as 2,0 when it has that register's form and the callsign
is one that the same aircraft has already sent: as identification squitter, or as reply with the same form.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skywatch.receivers.framing.frames import Column
from skywatch.receivers.mode_s.bits import field
from skywatch.receivers.mode_s.content.identification import plausible_register
from skywatch.receivers.mode_s.decoded import Decoded


class Sent(NamedTuple):
    """Some frames: their rows in the batch, their aircraft's rows in the table, and their content."""

    rows: Column
    aircraft: Column
    content: Column

    @classmethod
    def nothing(cls) -> Sent:
        """No frames."""
        return cls(np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int64))


def decode_callsigns(out: Decoded, squitters: Sent, replies: Sent, table_rows: Column) -> None:
    """Set the ``flight`` of replies, and store callsigns in the table.

    The content of ``squitters`` are callsigns (48 bits), that of ``replies`` registers (56 bits).
    """
    plausible = plausible_register(replies.content)
    if not plausible.any():
        remember_callsigns(squitters, table_rows)
        return
    squittered, replied = table_rows["flight"], table_rows["flight_reply"]
    candidates = Sent(replies.rows[plausible], replies.aircraft[plausible], field(replies.content[plausible], 9, 56))
    steps = [(*step, True) for step in zip(*(column.tolist() for column in squitters), strict=True)]
    steps += [(*step, False) for step in zip(*(column.tolist() for column in candidates), strict=True)]
    believed = set()
    # In the order of arrival: later frames must not confirm earlier ones.
    for row, aircraft, callsign, is_squitter in sorted(steps):
        if is_squitter:
            squittered[aircraft] = callsign
        elif callsign in (squittered[aircraft], replied[aircraft]):
            believed.add(row)
        else:
            replied[aircraft] = callsign
    out.put_where("flight", np.isin(candidates.rows, list(believed)), candidates.rows, candidates.content)


def remember_callsigns(squitters: Sent, table_rows: Column) -> None:
    """Store the callsigns of squitters; for repeated rows the last one remains."""
    table_rows["flight"][squitters.aircraft] = squitters.content
