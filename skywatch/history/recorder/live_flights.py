"""The flights in the air as columns: one slot a flight, found by the aircraft's address and reused afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.history.storage.points import MILITARY, address_code

Column = npt.NDArray[Any]

# name -> (dtype, value of a new flight); NaN where unknown, *_at in unix seconds.
FIELDS: dict[str, tuple[str, Any]] = {
    "used": ("?", False),
    "ended": ("?", False),
    "dirty": ("?", False),
    "id": ("i8", 0),  # 0 until the row is in the database
    "written_at": ("f8", 0.0),
    "aircraft": ("u4", 0),
    "first_seen_at": ("f8", 0.0),
    "last_seen_at": ("f8", 0.0),
    "position_at": ("f8", 0.0),
    "picture_messages": ("i8", 0),  # the picture's message count at the last tick, -1 where unknown
    "messages": ("i8", 0),
    "positions": ("i4", 0),
    "points": ("i4", 0),
    "min_altitude_ft": ("f4", np.nan),
    "max_altitude_ft": ("f4", np.nan),
    "max_speed_kt": ("f4", np.nan),
    "distance_nm": ("f8", 0.0),
    "min_distance_nm": ("f4", np.nan),
    "max_distance_nm": ("f4", np.nan),
    "first_lat": ("f8", np.nan),
    "first_lon": ("f8", np.nan),
    "last_lat": ("f8", np.nan),
    "last_lon": ("f8", np.nan),
    "military": ("?", False),
    "emergency": ("?", False),
    "simulated": ("?", False),
    "has_flown": ("?", False),
    "ground_since": ("f8", np.nan),
    "callsign": ("S8", b""),
    "registration": ("S12", b""),
    "aircraft_type": ("S4", b""),
    "squawk": ("S4", b""),
    "category": ("S2", b""),
}
# Limit of active flights updated in one flush; if there are more, they take turns.
UPDATES_A_FLUSH = 2000
# How extremes of two parts of a flight are combined.
EXTREMES = {
    "min_altitude_ft": np.fmin,
    "max_altitude_ft": np.fmax,
    "max_speed_kt": np.fmax,
    "min_distance_nm": np.fmin,
    "max_distance_nm": np.fmax,
}


class Slots:
    """Columns by slot, by the names in FIELDS, and the slot of each address with an active flight."""

    def __init__(self, capacity: int = 1024) -> None:
        self.columns: dict[str, Column] = {}
        self.by_address: dict[str, int] = {}
        self.addresses: list[str] = []
        self.operators: list[str | None] = []
        self._free: list[int] = []
        self._grow(capacity)

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    def __len__(self) -> int:
        return len(self.addresses)

    def _grow(self, capacity: int) -> None:
        size = len(self.addresses)
        for name, (dtype, fill) in FIELDS.items():
            column = np.full(capacity, fill, dtype)
            if size:
                column[:size] = self.columns[name][:size]
            self.columns[name] = column
        self._free.extend(range(capacity - 1, size - 1, -1))
        self.addresses.extend([""] * (capacity - size))
        self.operators.extend([None] * (capacity - size))

    def begin(self, address: str) -> int:
        """A fresh slot for a flight of this aircraft, which is found by its address from now on."""
        if not self._free:
            self._grow(2 * len(self.addresses))
        slot = self._free.pop()
        for name, (_, fill) in FIELDS.items():
            self.columns[name][slot] = fill
        self.columns["used"][slot] = True
        self.columns["aircraft"][slot] = address_code(address)
        self.addresses[slot] = address
        self.operators[slot] = None
        self.by_address[address] = slot
        return slot

    def end(self, slot: int) -> None:
        """The flight is over; the slot stays until it has been written."""
        self.columns["ended"][slot] = self.columns["dirty"][slot] = True
        if self.by_address.get(self.addresses[slot]) == slot:
            del self.by_address[self.addresses[slot]]

    def first_unwritten(self, address: str) -> int | None:
        """The slot of the earliest flight of an aircraft that is not in the database."""
        is_same = (self.columns["aircraft"] & ~np.uint32(MILITARY)) == address_code(address)
        rows = np.flatnonzero(self.columns["used"] & (self.columns["id"] == 0) & is_same)
        return int(rows[np.argmin(self.columns["first_seen_at"][rows])]) if len(rows) else None

    def to_write(self) -> Column:
        """The slots of flights that are new, over or changed."""
        used, written_at = self.columns["used"], self.columns["written_at"]
        urgent = used & ((self.columns["id"] == 0) | self.columns["ended"])
        others = np.flatnonzero(used & ~urgent & self.columns["dirty"])
        if len(others) > UPDATES_A_FLUSH:
            longest_ago = np.argpartition(written_at[others], UPDATES_A_FLUSH)
            others = others[longest_ago[:UPDATES_A_FLUSH]]
        return np.concatenate((np.flatnonzero(urgent), others))

    def release(self, slot: int) -> None:
        """The flight's last state is in the database."""
        self.columns["used"][slot] = False
        self.addresses[slot] = ""
        self._free.append(slot)


def merge(slots: Slots, slot: int, before: dict[str, Any], operator: str | None) -> None:
    """Make the flight of a slot the continuation of one from the database (``before``: the columns of a slot)."""
    for name in ("id", "first_seen_at"):
        slots[name][slot] = before[name]
    for name in ("messages", "positions", "points", "distance_nm"):
        slots[name][slot] += before[name]
    for name, extreme in EXTREMES.items():
        slots[name][slot] = extreme(slots[name][slot], before[name])
    for name in ("military", "emergency", "simulated", "has_flown"):
        slots[name][slot] |= bool(before[name])
    for name in ("first_lat", "first_lon"):
        if not np.isnan(before[name]):
            slots[name][slot] = before[name]
    for name in ("last_lat", "last_lon"):
        if np.isnan(slots[name][slot]):
            slots[name][slot] = before[name]
    for name in ("callsign", "registration", "aircraft_type", "squawk", "category"):
        slots[name][slot] = slots[name][slot] or before[name]
    slots.operators[slot] = slots.operators[slot] or operator
    slots["dirty"][slot] = True
