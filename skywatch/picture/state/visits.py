"""The column ``seen_before_days``: how long before this flight each aircraft was seen last, found elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from itertools import islice

import numpy as np

from skywatch.core.arrays import Array
from skywatch.picture.state.row_map import RowMap
from skywatch.picture.state.sky import COLUMNS

SEEN_BEFORE_DAYS = "seen_before_days"
NEVER = float("inf")
# So many changes are taken over by one tick, which takes 1 ms; after a start all aircraft change at once.
CHANGES_A_TICK = 2000


class LiveVisits:
    """The days of all aircraft of the sky; ``change`` in any thread, ``column`` once a tick."""

    def __init__(self, runtime: object = None) -> None:
        self._lock = threading.Lock()
        self._changes: dict[str, float] = {}
        self._column: Array = np.empty(0, COLUMNS[SEEN_BEFORE_DAYS])

    def change(self, days: Mapping[str, float]) -> None:
        """Show these days from the next tick on, by address (lower case); NEVER for who was never seen."""
        with self._lock:
            self._changes.update(days)

    def column(self, index: Mapping[str, int], rows: RowMap) -> Array:
        """The column of this tick; NaN where it is not known yet."""
        column = rows.column(self._column)
        column[rows.new] = np.nan
        if self._changes:
            with self._lock:
                changes = dict(islice(self._changes.items(), CHANGES_A_TICK))
                for address in changes:
                    del self._changes[address]
            for address, days in changes.items():
                row = index.get(address)
                if row is not None:
                    column[row] = days
        self._column = column
        return column
