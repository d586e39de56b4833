"""The rows of a picture: which aircraft each is, since when it is in the sky, and its accepted position."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat

import numpy as np

from skywatch.core.arrays import Array
from skywatch.picture.positions.accepted import Positions
from skywatch.picture.storage.saved_picture import SavedPosition
from skywatch.receivers.feeder_streams.voices import Voice
from skywatch.receivers.reports.report import STALE_S


class PictureRows:
    """Columns by row; ``index`` is the row of each address, ``first_seen`` unix s. Nobody else changes either.

    ``positions`` are those that are shown, ``ours`` those that would be without strangers: one object while there are
    none.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget all aircraft."""
        self.index: dict[str, int] = {}
        self.first_seen: Array = np.empty(0)
        self.positions = self.ours = Positions.none(0)

    def separate(self, has_strangers: bool) -> None:
        """Keep the positions of ours apart from those that are shown, or no longer."""
        if not has_strangers:
            self.positions = self.ours
        elif self.ours is self.positions:
            self.ours = self.positions.copy()

    def hold(self, undecided: Iterable[str], is_ours: Array, now: float) -> Array:
        """Show the positions of ours that are fresh, or newer than what is shown; ?[n]: what no stranger may replace.

        That is what is fresh, and of the aircraft ``undecided`` what ours contradict each other about. ``is_ours`` ?[n]
        says of receivers, by index, whether they are.
        """
        held: Array = now - self.ours.at <= STALE_S
        held[[self.index[address] for address in undecided]] = True
        refuted = is_ours[self.positions.receiver] & np.isnan(self.ours.lat)
        shown = np.flatnonzero(held | refuted | (self.ours.at > self.positions.at))
        self.positions.set(shown, self.ours, shown)
        return held

    def restore(self, row: int, saved: SavedPosition, receiver: int, voice: Voice) -> None:
        """Take over the saved position of an aircraft, which is of this receiver."""
        separate = () if self.ours is self.positions else (self.ours,)
        for positions in (self.positions, *separate) if voice.is_ours else (self.positions,) if separate else ():
            positions.put(row, saved.lat, saved.lon, saved.at, saved.trust, receiver)

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
        is_one = self.ours is self.positions
        self.positions = self.positions.moved(previous_row)
        self.ours = self.positions if is_one else self.ours.moved(previous_row)
        return previous_row, left

    def forget(self, receiver: int) -> None:
        """Drop the positions of a receiver, by its index."""
        for positions in (self.positions, self.ours):
            rows = np.flatnonzero(positions.receiver == receiver)
            positions.set(rows, Positions.none(len(rows)), np.arange(len(rows)))

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
        if self.ours is not self.positions:
            self.ours.at += step
        self.first_seen = self.first_seen + step
