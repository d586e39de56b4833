"""``FeederCounts``: what each feeder sent since its connection began, as columns by its number."""

from __future__ import annotations

import numpy as np

from skywatch.receivers.feeder_streams.new_addresses import TOO_MANY_AIRCRAFT
from skywatch.receivers.framing.frames import Column
from skywatch.receivers.mode_s.decoded import Status

# Signals above and below these are strong and weak (dBFS).
STRONG_DB, WEAK_DB = -3.0, -33.0
# What is refused, by the name it has in the status of a receiver.
REFUSED: dict[str, int] = {
    "bad_length": Status.BAD_LENGTH, "bad_parity": Status.BAD_PARITY, "unsupported": Status.UNSUPPORTED,
    "unknown_address": Status.UNKNOWN_ADDRESS, "no_aircraft": Status.NO_AIRCRAFT, "doubtful": Status.DOUBTFUL,
    TOO_MANY_AIRCRAFT: Status.TOO_MANY,
}  # fmt: skip
# ``messages`` are good ones of the ``frames``, ``positions`` of them gave a position; ``duplicates`` of all frames
# another feeder had sent within 50 ms before; ``measured`` have a signal strength, as have ``strong``, ``weak`` ones.
NAMES = (
    "bytes", "frames", "messages", "positions", "duplicates", "measured", "strong", "weak", "broken",
    "too_many", *REFUSED,
)  # fmt: skip
_PLACE = {name: place for place, name in enumerate(NAMES)}


class FeederCounts:
    """Counters i8 by name and the feeder's number."""

    def __init__(self) -> None:
        # One column for each feeder.
        self._counts = np.zeros((len(NAMES), 64), np.int64)

    def __getitem__(self, name: str) -> Column:
        """One counter of all feeders."""
        row: Column = self._counts[_PLACE[name]]
        return row

    def reset(self, slot: int) -> None:
        """Begin a connection."""
        while slot >= self._counts.shape[1]:
            self._counts = np.concatenate([self._counts, np.zeros_like(self._counts)], 1)
        self._counts[:, slot] = 0

    def of(self, slot: int) -> dict[str, int]:
        """The counters of one feeder."""
        return dict(zip(NAMES, self._counts[:, slot].tolist(), strict=True))

    def of_all(self, slots: list[int]) -> list[dict[str, int]]:
        """The counters of these feeders."""
        return [dict(zip(NAMES, counts, strict=True)) for counts in self._counts[:, slots].T.tolist()]

    def add(self, name: str, slot: Column, count: Column) -> None:
        """Add to one counter; feeders may come several times."""
        if len(slot):
            column = self._counts[_PLACE[name]]
            column += np.bincount(slot, count, len(column)).astype(np.int64)

    def count_status(self, status: Column, slot: Column) -> None:
        """Count refused frames by the reason."""
        bad = np.flatnonzero(status)
        if len(bad):
            for name, code in REFUSED.items():
                self.add(name, slot[bad], status[bad] == code)

    def hear(self, is_good: Column, is_position: Column, is_counted: Column, slot: Column, rssi: Column) -> None:
        """Count frames that feeders heard."""
        good = np.flatnonzero(is_good & is_counted)
        slot, rssi = slot[good], rssi[good]
        self.add("messages", slot, np.ones(len(slot)))
        self.add("positions", slot, is_position[good])
        with np.errstate(invalid="ignore"):
            for name, chosen in (
                ("measured", ~np.isnan(rssi)), ("strong", rssi > STRONG_DB), ("weak", rssi < WEAK_DB),
            ):  # fmt: skip
                self.add(name, slot, chosen)
