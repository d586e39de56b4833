"""``FeederCounts``: what each feeder sent since its connection began, as columns by its number."""

from __future__ import annotations

import numpy as np

from skywatch.receivers.framing.frames import Column
from skywatch.receivers.mode_s.decoded import Status

# Signals above and below these are strong and weak (dBFS).
STRONG_DB, WEAK_DB = -3.0, -33.0
# What is refused, by the name it has in the status of a receiver.
REFUSED: dict[str, int] = {
    "bad_length": Status.BAD_LENGTH, "bad_parity": Status.BAD_PARITY, "unsupported": Status.UNSUPPORTED,
    "unknown_address": Status.UNKNOWN_ADDRESS, "no_aircraft": Status.NO_AIRCRAFT, "doubtful": Status.DOUBTFUL,
}  # fmt: skip
# ``messages`` are good ones of the ``frames``, ``positions`` of them gave a position; ``duplicates`` of all frames
# another feeder had sent within 50 ms before; ``measured`` have a signal strength, as have ``strong``, ``weak`` ones.
NAMES = (
    "bytes", "frames", "messages", "positions", "duplicates", "measured", "strong", "weak", "broken",
    "too_many", *REFUSED,
)  # fmt: skip


class FeederCounts:
    """Counters i8 by name and the feeder's number."""

    def __init__(self) -> None:
        self._columns = {name: np.zeros(64, np.int64) for name in NAMES}
        self.last_at = np.full(64, np.nan)

    def __getitem__(self, name: str) -> Column:
        """One counter of all feeders."""
        return self._columns[name]

    def reset(self, slot: int) -> None:
        """Begin a connection."""
        while slot >= len(self.last_at):
            self._columns = {name: np.append(column, np.zeros_like(column)) for name, column in self._columns.items()}
            self.last_at = np.append(self.last_at, np.full_like(self.last_at, np.nan))
        for column in self._columns.values():
            column[slot] = 0
        self.last_at[slot] = np.nan

    def of(self, slot: int) -> dict[str, int]:
        """The counters of one feeder."""
        return {name: int(column[slot]) for name, column in self._columns.items()}

    def add(self, name: str, slot: Column, count: Column) -> None:
        """Add to one counter; feeders may come several times."""
        if len(slot):
            column = self._columns[name]
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
