"""Columns, and functions that NumPy has too but imports masked arrays for: 1.5 MB, and the first tick waits for it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# A column of values of any kind.
Array = NDArray[Any]


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """The different values of a column of whole numbers or texts, sorted, as ``np.unique`` returns them."""
    ordered = np.sort(values, axis=None)
    if not len(ordered):
        return ordered
    is_first = np.empty(len(ordered), np.bool_)
    is_first[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


def percentile(values: NDArray[np.float64], percent: float) -> float:
    """What ``np.percentile`` returns for a column of numbers that has no NaN and is not empty, to the last digit."""
    place = (len(values) - 1) * (percent / 100)
    before = int(place)
    after = min(before + 1, len(values) - 1)
    low, high = np.partition(values, (before, after))[[before, after]].tolist()
    share = place - before
    return float(high - (high - low) * (1 - share) if share >= 0.5 else low + (high - low) * share)
