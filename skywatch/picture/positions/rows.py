"""The rows of a picture: which aircraft each is, since when it is in the sky, and its accepted position."""

from __future__ import annotations

from itertools import repeat

import numpy as np

from skywatch.picture.positions.accepted import Array, Positions
from skywatch.picture.saving.picture import SavedPosition


class PictureRows:
    """Columns by row; ``index`` is the row of each address, ``first_seen`` unix s. Nobody else changes either."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget all aircraft."""
        self.index: dict[str, int] = {}
        self.first_seen: Array = np.empty(0)
        self.positions = Positions.none(0)

    def follow(self, hexes: list[str], index: dict[str, int], now: float) -> tuple[Array, tuple[str, ...]]:
        """Take over the aircraft of a tick; return the row that each had before, -1 for a new one, and who left."""
        before, self.index = self.index, index
        if index is before:
            return np.arange(len(hexes), dtype="i4"), ()
        previous_row = np.fromiter(map(before.get, hexes, repeat(-1)), "i4", len(hexes))
        left = tuple(address for address in before if address not in index)
        first_seen = np.full(len(previous_row), now)
        existing = np.flatnonzero(previous_row >= 0)
        first_seen[existing] = self.first_seen[previous_row[existing]]
        self.first_seen = first_seen
        self.positions = self.positions.moved(previous_row)
        return previous_row, left

    def first_sights(self) -> dict[str, float]:
        """Since when each aircraft is in the sky (unix s); empty after a tick that failed half-way."""
        if len(self.index) != len(self.first_seen):
            return {}
        return dict(zip(self.index, self.first_seen.tolist(), strict=True))

    def saved_positions(self, receivers: tuple[str, ...]) -> dict[str, SavedPosition]:
        """The accepted positions by address; ``receivers`` are names by index."""
        believed = self.positions
        columns = (believed.lat, believed.lon, believed.at, believed.trust, believed.receiver)
        return {
            address: SavedPosition(lat, lon, at, trust, receivers[receiver])
            for address, lat, lon, at, trust, receiver in zip(
                self.index, *(column.tolist() for column in columns), strict=True
            )
            if lat == lat
        }

    def shift(self, step: float) -> None:
        """Move all times by ``step`` seconds: the clock has been set."""
        self.positions.at += step
        self.first_seen = self.first_seen + step
