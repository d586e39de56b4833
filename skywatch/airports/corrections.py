"""What the pressure of places and hours adds to pressure altitudes, as it was learnt (``pressure``), for later."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airports.directory import Column
from skywatch.airports.models import LocalCorrection
from skywatch.airports.pressure import HOUR_S, Place
from skywatch.core.database.engine import insert_into

# The pressure of an hour of which nothing is known is that of the nearest one within so many hours.
NEAR_HOURS = 6
_table: Any = LocalCorrection.__table__
# Of so many rows a statement is made.
_ROWS = 200


def store_corrections(session: Session, learnt: Mapping[Place, float]) -> None:
    """Store corrections (ft); what was known of the same place and hour is replaced."""
    rows = [
        {"at": at, "lat": lat, "lon": lon, "correction_ft": round(value)} for (at, lat, lon), value in learnt.items()
    ]
    for begin in range(0, len(rows), _ROWS):
        statement = insert_into(session, LocalCorrection).values(rows[begin : begin + _ROWS])
        replaced = {"correction_ft": statement.excluded.correction_ft}
        session.execute(statement.on_conflict_do_update(index_elements=["lat", "lon", "at"], set_=replaced))


class Corrections:
    """The corrections of an area from ``begin`` to ``end`` (unix s); ``box`` is west, south, east, north."""

    def __init__(self, session: Session, begin: float, end: float, box: tuple[float, float, float, float]) -> None:
        west, south, east, north = box
        self._first = int(begin // HOUR_S) - NEAR_HOURS
        self._hours = int(end // HOUR_S) + NEAR_HOURS + 1 - self._first
        column = _table.c
        query = sa.select(column.at, column.lat, column.lon, column.correction_ft).where(
            column.at.between(self._first * HOUR_S, (self._first + self._hours) * HOUR_S),
            column.lat.between(int(south // 1) - 1, int(north // 1) + 1),
        )
        if west <= east and west > -179.0 and east < 179.0:
            query = query.where(column.lon.between(int(west // 1) - 1, int(east // 1) + 1))
        rows = np.array([tuple(row) for row in session.execute(query).all()], "i8").reshape(-1, 4)
        places, place = np.unique(rows[:, 1:3], axis=0, return_inverse=True)
        values = np.full((len(places), self._hours + 1), np.nan)
        values[place.reshape(-1), rows[:, 0] // HOUR_S - self._first] = rows[:, 3]
        self._stored = {(lat, lon): hours[:-1] for (lat, lon), hours in zip(places.tolist(), values, strict=True)}
        # The least that is added anywhere, now that what is not known counts as nothing (ft).
        self.lowest_ft = float(rows[:, 3].min(initial=0))
        self._cells: dict[tuple[int, int], Column] = {}

    def at(self, at: Column, lat: Column, lon: Column) -> Column:
        """The corrections (ft) at moments and places; 0 where nothing is known."""
        if not self._stored or not len(at):
            return np.zeros(len(at))
        hour = np.clip((at // HOUR_S).astype("i8") - self._first, 0, self._hours - 1)
        codes = (np.floor(lat).astype("i8") + 90) * 360 + (np.floor(lon).astype("i8") + 180) % 360
        cells, index = np.unique(codes, return_inverse=True)
        values = np.stack([self._of_cell(code // 360 - 90, code % 360 - 180) for code in cells.tolist()])
        result: Column = values[index, hour]
        return result

    def _of_cell(self, lat: int, lon: int) -> Column:
        """The corrections of a square by hour: its own, else the middle of those around it, else of hours near."""
        if (lat, lon) not in self._cells:
            own = self._stored.get((lat, lon), np.full(self._hours, np.nan))
            around = [
                self._stored[lat + dy, (lon + dx + 180) % 360 - 180]
                for dy in (-1, 0, 1)
                for dx in (-1, 0, 1)
                if (lat + dy, (lon + dx + 180) % 360 - 180) in self._stored
            ]
            if around:
                with warnings.catch_warnings():
                    # Of hours of which none of them knows anything.
                    warnings.simplefilter("ignore", RuntimeWarning)
                    own = np.where(np.isnan(own), np.nanmedian(np.stack(around), axis=0), own)
            self._cells[lat, lon] = _filled(own)
        return self._cells[lat, lon]


def _filled(hours: Column) -> Column:
    """Hours of which nothing is known as the nearest one, 0 where none is near."""
    known = np.flatnonzero(~np.isnan(hours))
    if not len(known):
        return np.zeros(len(hours))
    every = np.arange(len(hours))
    after = np.searchsorted(known, every).clip(max=len(known) - 1)
    before = (after - 1).clip(min=0)
    nearest = np.where(np.abs(known[before] - every) <= np.abs(known[after] - every), known[before], known[after])
    return np.where(np.abs(nearest - every) <= NEAR_HOURS, hours[nearest], 0.0)
