"""How rows move from tick to tick, so that only what has changed since the tick before is rebuilt."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from itertools import compress, count
from operator import is_not, ne
from typing import Any

import numpy as np

from skywatch.core.arrays import Array


class RowMap:
    """Where each row of this tick was in the tick before, applied to lists and columns of that tick.

    A row of ``new`` has no value there: what ``listed`` and ``column`` give for it is arbitrary.
    """

    def __init__(self, previous: Array) -> None:
        self.previous = previous
        self.new: list[int] = np.flatnonzero(previous < 0).tolist()
        self._in_place = bool((previous == np.arange(len(previous))).all())

    def __len__(self) -> int:
        return len(self.previous)

    def is_same(self, before: Sized) -> bool:
        """Whether a list or column of the tick before is in this tick's order, and has no other rows."""
        return self._in_place and len(before) == len(self)

    @classmethod
    def or_first(cls, previous: Array) -> RowMap:
        """The same with the first row of the tick before for those that are new."""
        return cls(np.maximum(previous, 0))

    def listed(self, before: list[Any]) -> list[Any]:
        """The values of a list in this tick's order; a copy."""
        if self._in_place:
            return before[: len(self)]
        return list(map(before.__getitem__, self.previous.tolist())) if before else [None] * len(self)

    def column(self, before: Array) -> Array:
        """The values of a column in this tick's order; a copy."""
        if self._in_place:
            return before[: len(self)].copy()
        return before[self.previous] if len(before) else np.zeros(len(self), before.dtype)

    def changed(self, values: Sequence[Any], before: list[Any], differ: Callable[[Any, Any], bool] = ne) -> list[int]:
        """The rows that are new or whose value differs from that in the list of the tick before."""
        then = self.listed(before)
        # What is the same object needs no look inside.
        others = compress(count(), map(is_not, values, then))
        rows = [row for row in others if differ(values[row], then[row])]
        return sorted({*rows, *self.new}) if self.new else rows


def texts(values: Sequence[Any], dtype: str) -> Array:
    """ASCII text, empty for what is UNSET or None; what is not ASCII becomes ``?``."""
    filled = [value or "" for value in values]
    try:
        return np.array(filled, dtype)
    except UnicodeEncodeError:
        return np.array([value.encode("ascii", "replace") for value in filled], dtype)
