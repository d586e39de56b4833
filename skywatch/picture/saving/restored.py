"""What aircraft were before a restart or a failed tick: given back to those that are heard again in time."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from skywatch.picture.positions.accepted import Array
from skywatch.picture.positions.rows import PictureRows
from skywatch.picture.saving.picture import SavedPosition


class RestoredAircraft:
    """First sight and accepted position by address, until nobody may come back to them any more."""

    def __init__(self) -> None:
        self._aircraft: dict[str, tuple[float, SavedPosition | None]] = {}
        self._until = 0.0

    def put(self, first_seen: Mapping[str, float], positions: Mapping[str, SavedPosition], until: float) -> None:
        """Add aircraft that may come back until then (unix s)."""
        self._aircraft |= {address: (at, positions.get(address)) for address, at in first_seen.items()}
        self._until = until

    def recall(
        self,
        hexes: list[str],
        previous_row: Array,
        rows: PictureRows,
        index_of: Callable[[str], int | None],
        now: float,
    ) -> None:
        """Give aircraft that are new in this tick back their first sight and position, once."""
        if now > self._until:
            self._aircraft = {}
        if not self._aircraft:
            return
        for row in np.flatnonzero(previous_row < 0).tolist():
            first_seen, position = self._aircraft.pop(hexes[row], (None, None))
            if first_seen is not None:
                rows.first_seen[row] = first_seen
            if position is not None and (receiver := index_of(position.receiver)) is not None:
                rows.positions.put(row, position.lat, position.lon, position.at, position.trust, receiver)
