"""Compares the values of several receivers for one aircraft, field by field: pure functions over matrices.

A matrix has a row for each receiver and a column for each aircraft that several receivers receive; NaN is a missing
value. Texts are numbers by a ``TextCodes``, so that they are compared like other values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from msgspec import UNSET

from skywatch.core.arrays import Array
from skywatch.picture.merging.values import ReportValues
from skywatch.receivers.reports.report_columns import GROUND, NAN

NOTHING: dict[Any, float] = {UNSET: NAN, "": NAN}
# A value that a receiver reports for more than this share of its aircraft, and this number, is implausible.
SAME_SHARE, SAME_COUNT = 0.5, 3
# Values of many aircraft at once: squawks for VFR, oceanic and uncontrolled flight (ICAO Doc 7030, FAA JO 7110.66).
COMMON_VALUES = frozenset(("0000", "1000", "1200", "2000", "2200", "7000", "7001", "none", "ground"))


@dataclass(frozen=True)
class Comparison:
    """A quantity that receivers are compared by.

    ``name`` is what a dispute is called; ``fields`` are withheld while it lasts, the first of them is compared. Two
    numbers contradict each other when they differ by more than ``tolerance`` and ``rate`` for each second between them;
    ``kind`` says how a value becomes a number: ``text``, ``number``, or ``height`` over the highest airport.
    """

    name: str
    kind: str
    fields: tuple[str, ...]
    tolerance: float = 0.0
    rate: float = 0.0


# Receivers receive an aircraft some seconds apart: 100 ft/s is 6,000 ft/min, 5 kt/s is hard braking.
COMPARISONS = (
    Comparison("callsign", "text", ("flight",)),
    Comparison("squawk", "text", ("squawk", "emergency")),
    Comparison("emergency", "text", ("emergency",)),
    Comparison("altitude", "number", ("alt_baro", "baro_rate"), 1_500.0, 100.0),
    # On the ground for one, high in the air for another.
    Comparison("altitude", "height", ("alt_baro", "baro_rate"), 1_500.0, 100.0),
    Comparison("geometric_altitude", "number", ("alt_geom", "geom_rate"), 1_500.0, 100.0),
    Comparison("speed", "number", ("gs", "track"), 100.0, 5.0),
)
HIGHEST_AIRPORT_FT = 15_000.0


class TextCodes:
    """A number for every text; new ones take its place when it ``is_full``."""

    MOST = 200_000

    def __init__(self) -> None:
        self._codes: dict[Any, float] = dict(NOTHING)

    @property
    def is_full(self) -> bool:
        """Whether there are more texts than are to be kept."""
        return len(self._codes) > self.MOST

    def of(self, values: Sequence[Any]) -> Array:
        """The numbers of texts; NaN for UNSET and for an empty one."""
        codes = self._codes
        listed = list(map(codes.get, values))
        if None in listed:
            listed = [codes.setdefault(value, float(len(codes))) for value in values]
        return np.fromiter(listed, "f8", len(values))


def read(comparison: Comparison, values: ReportValues, codes: TextCodes) -> Array:
    """The compared field of reports as numbers for comparison; NaN for missing ones."""
    name = comparison.fields[0]
    if comparison.kind == "text":
        return values.array(name, codes.of)
    numbers = values.numbers(name)
    if comparison.kind == "number":
        return np.where(numbers == GROUND, NAN, numbers)
    return np.where(numbers == GROUND, 0.0, np.maximum(numbers - HIGHEST_AIRPORT_FT, 0.0))


def contradicted(values: Array, at: Array, comparison: Comparison) -> Array:
    """The columns in which any two receivers contradict each other."""
    spread = np.fmax.reduce(values, 0) - np.fmin.reduce(values, 0)
    if comparison.kind == "text":
        differing: Array = spread > 0
        return differing
    # The times matter only where the values differ.
    suspicious: Array = spread > comparison.tolerance
    if suspicious.any():
        columns = np.flatnonzero(suspicious)
        suspicious[columns] = ~agreement(values[:, columns], at[:, columns], comparison).all((0, 1))
    return suspicious


def agreement(values: Array, at: Array, comparison: Comparison) -> Array:
    """For every two receivers and every column whether they do not contradict each other."""
    difference = np.abs(values[:, None] - values[None])
    if comparison.kind == "text":
        equal: Array = ~(difference > 0)
        return equal
    result: Array = ~(difference > comparison.tolerance + comparison.rate * np.abs(at[:, None] - at[None]))
    return result


def vote(values: Array, weights: Array, agree: Array, is_agreement: Array) -> tuple[Array, Array]:
    """For every column the receiver whose value is best supported, and whether the vote is tied.

    ``weights`` says whose support counts; ``is_agreement`` ?[receivers], who stands for several of the others, so that
    both are not counted together. It is tied where values that contradict each other are supported equally.
    """
    has_value = ~np.isnan(values)
    counted = agree * has_value[None] * weights[None]
    support = counted[:, ~is_agreement].sum(1)
    if is_agreement.any():
        support = np.maximum(support, counted[:, is_agreement].max(1))
    support = np.where(has_value, support, -1.0)
    best = support.max(0)
    winner = support.argmax(0)
    equal = has_value & (support == best)
    against = ~agree[winner, :, np.arange(values.shape[1])].T
    return winner, (equal & against).any(0)


def repeated_value(values: Sequence[Any]) -> Any:
    """The value that a receiver reports for most of its aircraft although they cannot all have it, or None."""
    counts: dict[Any, int] = {}
    for value in values:
        if value is not UNSET and value not in COMMON_VALUES:
            counts[value] = counts.get(value, 0) + 1
    if not counts:
        return None
    value, count = max(counts.items(), key=lambda item: item[1])
    return value if count >= SAME_COUNT and count > SAME_SHARE * len(values) else None
