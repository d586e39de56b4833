"""The columns of routes: what is shown of each aircraft, judged elsewhere and taken over by the next tick."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from skywatch.core.arrays import Array
from skywatch.picture.state.row_map import RowMap
from skywatch.picture.state.sky import COLUMNS, ROUTE_COLUMNS


class Ends(NamedTuple):
    """Where an aircraft comes from and goes to: ICAO codes, and IATA codes where there are (else ICAO codes)."""

    origin: bytes = b""
    destination: bytes = b""
    origin_iata: bytes = b""
    destination_iata: bytes = b""


NOWHERE = Ends()
# So many changes are taken over by one tick, which takes 2 ms; after a start all aircraft change at once.
CHANGES_A_TICK = 2000


class LiveRoutes:
    """The routes of the sky; ``change`` in any thread, ``columns`` once a tick.

    A route belongs to a callsign: an aircraft that has another one now has none until it is judged again.
    """

    def __init__(self, runtime: object = None) -> None:
        self._lock = threading.Lock()
        self._changes: dict[str, tuple[bytes, Ends]] = {}
        self._columns: dict[str, Array] = {name: np.empty(0, COLUMNS[name]) for name in ROUTE_COLUMNS}
        self._callsigns: Array = np.empty(0, COLUMNS["flight"])

    def change(self, changes: Mapping[str, tuple[bytes, Ends]]) -> None:
        """Show these routes from the next tick on: address (lower case) -> callsign and route."""
        with self._lock:
            self._changes.update(changes)

    def columns(self, index: Mapping[str, int], rows: RowMap, callsigns: Array) -> tuple[dict[str, Array], list[int]]:
        """The columns of this tick, and the rows whose route differs from the tick before."""
        columns = {name: rows.column(column) for name, column in self._columns.items()}
        before = rows.column(self._callsigns)
        is_other = before != callsigns if len(before) else np.ones(len(rows), "?")
        is_other[rows.new] = True
        ended = np.flatnonzero(is_other)
        gone = ended[columns["origin"][ended] != b""].tolist() if len(ended) else []
        for column in columns.values():
            column[ended] = b""
        changed = self._apply(columns, index, callsigns)
        self._columns, self._callsigns = columns, callsigns
        return columns, [*gone, *changed]

    def _apply(self, columns: dict[str, Array], index: Mapping[str, int], callsigns: Array) -> list[int]:
        if not self._changes:
            return []
        with self._lock:
            changes = dict(islice(self._changes.items(), CHANGES_A_TICK))
            for address in changes:
                del self._changes[address]
        changed: list[int] = []
        values: list[Ends] = []
        for address, (callsign, ends) in changes.items():
            row = index.get(address)
            if row is not None and callsigns[row] == callsign:
                changed.append(row)
                values.append(ends)
        if changed:
            listed: Any = zip(*values, strict=True)
            for name, column in zip(Ends._fields, listed, strict=True):
                columns[name][changed] = np.array(column, COLUMNS[name])
        return changed
