"""The aircraft that are marked for users, as rows of the present sky."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from skywatch.realtime.sky.aircraft import PictureState
from skywatch.realtime.sky.areas import Rows

# User -> addresses of the aircraft that are marked for them.
Marks = Mapping[int, frozenset[str]]
_NONE: frozenset[str] = frozenset()


class MarkedRows:
    """The marks of this tick and of the one before."""

    def __init__(self, state: PictureState) -> None:
        self._state = state
        self.marks: Marks = {}
        self._before: Marks = {}

    def begin(self, marks: Marks) -> None:
        """Set the marks of the next tick."""
        self._before, self.marks = self.marks, marks

    def concerns(self, user: int | None) -> bool:
        """Whether any aircraft is marked for a user, or was until this tick."""
        return user is not None and bool(self.marks.get(user) or self._before.get(user))

    def of(self, user: int | None) -> Rows:
        """The rows that are marked for a user."""
        return self._rows(self.marks.get(user, _NONE) if user is not None else _NONE)

    def toggled(self, user: int | None) -> Rows:
        """The rows whose mark was set or cleared at this tick."""
        if user is None:
            return self._rows(_NONE)
        return self._rows(self.marks.get(user, _NONE) ^ self._before.get(user, _NONE))

    def _rows(self, addresses: frozenset[str]) -> Rows:
        index = self._state.sky.index
        return np.array(sorted(index[address] for address in addresses if address in index), dtype=np.intp)
