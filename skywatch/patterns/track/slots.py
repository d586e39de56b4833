"""A fixed place for each aircraft while the picture's rows move from tick to tick."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class SlotTable:
    """Gives each address a slot, a small number that stays its own until it is released."""

    def __init__(self, capacity: int) -> None:
        self._slot_of: dict[str, int] = {}
        self._free = list(range(capacity - 1, -1, -1))
        self._last = np.empty(0, dtype=np.intp)
        self.capacity = capacity
        """Slots there are; doubles when they run out."""

    @property
    def addresses(self) -> list[str]:
        """All addresses that have a slot."""
        return list(self._slot_of)

    def follow(self, addresses: Sequence[str], previous_row: NDArray[np.integer] | None) -> NDArray[np.intp]:
        """Return the slot of each address, in order, for rows that came from `previous_row` of the last call.

        Where `previous_row` is -1, and everywhere if it is not given, the address is looked up, and given a slot if
        it has none.
        """
        slots = np.full(len(addresses), -1, dtype=np.intp)
        if previous_row is not None and len(self._last):
            continued = np.flatnonzero((previous_row >= 0) & (previous_row < len(self._last)))
            slots[continued] = self._last[previous_row[continued]]
        for row in np.flatnonzero(slots < 0).tolist():
            slots[row] = self._slot(addresses[row])
        self._last = slots
        return slots

    def _slot(self, address: str) -> int:
        slot = self._slot_of.get(address)
        if slot is None:
            if not self._free:
                self._free = list(range(2 * self.capacity - 1, self.capacity - 1, -1))
                self.capacity *= 2
            slot = self._slot_of[address] = self._free.pop()
        return slot

    def find(self, address: str) -> int | None:
        """Return the slot of an address, None if it has none."""
        return self._slot_of.get(address)

    def release(self, address: str) -> int | None:
        """Free the slot of an address and return it, None if it has none."""
        slot = self._slot_of.pop(address, None)
        if slot is not None:
            self._free.append(slot)
            # Rows of the last call that had this slot must not lead back to it.
            self._last[self._last == slot] = -1
        return slot
