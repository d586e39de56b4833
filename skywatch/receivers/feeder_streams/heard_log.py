"""``HeardLog``: which feeder heard which aircraft within the last minute."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from skywatch.receivers.feeder_streams.reducer.columns import Heard, address_of, number_of
from skywatch.receivers.framing.frames import Column

# A feeder hears an aircraft that it heard within this time (s).
HEARD_S = 60.0
# Feeders without a record have negative ids.
_ID_BITS = 36
_ID_MASK, _ID_SIGN = (1 << _ID_BITS) - 1, 1 << (_ID_BITS - 1)


class Hearer(NamedTuple):
    """A feeder that heard an aircraft: ``rssi`` in dBFS (None: not measured), ``last_at`` in unix seconds."""

    feeder_id: int
    rssi: float | None
    last_at: float


class HeardLog:
    """One entry a feeder and aircraft, sorted by address and feeder. Columns are replaced, never written to."""

    def __init__(self) -> None:
        self._columns = np.empty(0, np.int64), np.empty(0), np.empty(0, np.float32)

    def add(self, heard: Heard, ids: Mapping[int, int], at: float) -> None:
        """Add a second, which ended ``at`` (unix s); ``ids`` are those of feeders by lane."""
        key, last_at, rssi = self._columns
        feeders = ids_by_lane(ids)[heard.feeder]
        recent = at - last_at <= HEARD_S
        keys = np.concatenate([key[recent], (heard.address << _ID_BITS) | (feeders & _ID_MASK)])
        times = np.concatenate([last_at[recent], np.full(len(feeders), at)])
        levels = np.concatenate([rssi[recent], heard.rssi])
        order = np.argsort(keys, kind="stable")
        chosen = order[np.diff(keys[order], append=-1) != 0]
        self._columns = keys[chosen], times[chosen], levels[chosen]

    def hearers(self, address: str) -> list[Hearer]:
        """The feeders that heard an aircraft (``4b1617``, ``~4b1617``) within a minute."""
        key, last_at, rssi = self._columns
        number = number_of(address)
        first, last = key.searchsorted([number << _ID_BITS, (number + 1) << _ID_BITS])
        oldest = time.time() - HEARD_S
        return [
            Hearer(number, level if level == level else None, at)
            for number, at, level in zip(
                _ids(key[first:last]).tolist(), last_at[first:last].tolist(), rssi[first:last].tolist(), strict=True
            )
            if at >= oldest
        ]

    def heard_by(self, feeder_id: int) -> list[tuple[str, float, float]]:
        """The addresses that a feeder heard within a minute, when (unix s) and how strongly (dBFS, NaN)."""
        key, last_at, rssi = self._columns
        rows = np.flatnonzero((key & _ID_MASK == feeder_id & _ID_MASK) & (time.time() - last_at <= HEARD_S))
        addresses = map(address_of, (key[rows] >> _ID_BITS).tolist())
        return list(zip(addresses, last_at[rows].tolist(), rssi[rows].tolist(), strict=True))

    def aircraft(self) -> dict[int, int]:
        """How many aircraft each feeder heard within a minute, by the feeder's id."""
        key, last_at, _ = self._columns
        numbers, counts = np.unique(_ids(key[time.time() - last_at <= HEARD_S]), return_counts=True)
        return dict(zip(numbers.tolist(), counts.tolist(), strict=True))


def ids_by_lane(ids: Mapping[int, int]) -> Column:
    """The feeder's id of each lane, i8[largest lane + 1]."""
    of_lane = np.zeros(max(ids, default=0) + 1, np.int64)
    for lane, number in ids.items():
        of_lane[lane] = number
    return of_lane


def _ids(key: Column) -> Column:
    numbers = key & _ID_MASK
    return np.where(numbers & _ID_SIGN, numbers - (1 << _ID_BITS), numbers)
