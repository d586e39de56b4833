"""``SteadyArrays``: what aircraft say for minutes on end as arrays, converted again where one says something else."""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress, count, repeat
from operator import is_not, ne
from typing import Any

import numpy as np

from skywatch.core.arrays import Array
from skywatch.picture.state.row_map import RowMap
from skywatch.receivers.reports.report_columns import STEADY_AT

Convert = Callable[[list[Any]], Array]


class SteadyArrays:
    """Those of one receiver, from tick to tick; an array that nobody asks for in a tick is dropped with it."""

    def __init__(self) -> None:
        self._hexes: list[str] = []
        self._steady: list[tuple[Any, ...]] = []
        self._rows = RowMap(np.empty(0, "i8"))
        self._changed: list[int] = []
        self._before: dict[tuple[str, Convert], Array] = {}
        self._arrays: dict[tuple[str, Convert], Array] = {}
        # What these were compared with, and where they differed: in the tick before, and in this one.
        self._compared_before: tuple[list[tuple[Any, ...]], Array] | None = None
        self._compared: tuple[list[tuple[Any, ...]], Array] | None = None

    def follow(self, hexes: list[str], steady: list[tuple[Any, ...]]) -> None:
        """Go on to the aircraft of a tick and the values of ``STEADY`` of each; nobody may write to the lists."""
        if hexes == self._hexes:
            rows = RowMap(np.arange(len(hexes)))
        else:
            row_before = dict(zip(self._hexes, count()))
            rows = RowMap(np.fromiter(map(row_before.get, hexes, repeat(-1)), "i8", len(hexes)))
        changed = rows.changed(steady, self._steady)
        self._hexes, self._steady, self._rows, self._changed = hexes, steady, rows, changed
        self._before, self._arrays = self._arrays, {}
        self._compared_before, self._compared = self._compared, None

    def differ_from(self, others: list[tuple[Any, ...]]) -> Array:
        """?[n]: which aircraft say something else than the values of ``STEADY`` beside them; once a tick.

        They are compared again where these or the others are not those of the tick before.
        """
        if self._compared_before is None:
            differ = np.fromiter(map(ne, self._steady, others), "?", len(others))
        else:
            others_before, differ_before = self._compared_before
            differ = self._rows.column(differ_before)
            are_others = compress(count(), map(is_not, others, self._rows.listed(others_before)))
            for row in {*self._changed, *are_others}:
                differ[row] = self._steady[row] != others[row]
        self._compared = others, differ
        return differ

    def array(self, name: str, convert: Convert) -> Array:
        """A field of ``STEADY``, a value an aircraft; nobody may write to it."""
        key = name, convert
        if key not in self._arrays:
            at = STEADY_AT[name]
            before = self._before.get(key)
            if before is None:
                array = convert([values[at] for values in self._steady])
            else:
                array = self._rows.column(before)
                if self._changed:
                    array[self._changed] = convert([self._steady[row][at] for row in self._changed])
            self._arrays[key] = array
        return self._arrays[key]
