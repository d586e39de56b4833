"""``PositionFrames``: position frames of many aircraft as columns."""

from __future__ import annotations

from typing import NamedTuple

from skywatch.receivers.framing.frames import Column


class PositionFrames(NamedTuple):
    """Position frames sorted by aircraft, those of one aircraft in the order of arrival; one entry a frame."""

    aircraft: Column  # row of the table
    time: Column  # f8, unix seconds
    odd: Column  # i8, 0 or 1
    lat_code: Column  # i8, 17 bits
    lon_code: Column
    limit: Column  # f8, how far apart (s) its partner may be
    surface: Column  # ?

    def pick(self, chosen: Column) -> PositionFrames:
        """The frames with these indices."""
        return PositionFrames(*(column[chosen] for column in self))
