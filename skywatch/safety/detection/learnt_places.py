"""What is learnt from traffic, by place: how low airliners fly level there, and where they land and take off.

Cells are a tenth of a degree. An aircraft counts once a visit of a cell, so that circling aircraft have no effect; the
floor of a cell is the altitude that hardly any aircraft is below. What is learnt is bounded, kept in the database by
the monitor, and can be looked at and forgotten.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from skywatch.safety.detection.frame import Array, Carried, Frame

CELL_DEG = 0.1
BIN_FT = 500
BINS = 90
# A floor needs this many visits; this share of them may be lower (errors, visual approaches).
MIN_VISITS, LOWER_SHARE = 30, 0.02
MAX_CELLS = 50_000
LEVEL_FPM = 300.0
# Slower airliners (kt) are about to land.
MIN_KT = 120.0
# On a runway: on the ground, faster than taxiing aircraft (kt).
RUNWAY_KT = 60.0

Cell = tuple[int, int]
NO_FLOOR = -1
# What a bin counts at most; a cell that reaches it counts every second visit of before.
MOST_VISITS = np.iinfo(np.uint16).max


@dataclass(slots=True)
class Learnt:
    """The data of one cell: visits by altitude bin, and the position of aircraft on a runway (degrees).

    ``simulated``: of simulated aircraft.
    """

    levels: dict[int, int] = field(default_factory=dict)
    runway: tuple[float, float] | None = None
    runway_visits: int = 0
    updated_at: float = 0.0
    simulated: bool = False

    def floor_ft(self) -> int | None:
        """The altitude (ft) below which hardly any aircraft flies level, or None while unknown."""
        floor = _floor_ft(_bins(self.levels))
        return None if floor == NO_FLOOR else floor


def _bins(levels: Mapping[int, int]) -> Array:
    """Visits by bin; where one has more than a cell counts, all of them in proportion."""
    counted = {level: visits for level, visits in levels.items() if 0 <= level < BINS}
    most = max(counted.values(), default=0)
    bins = np.zeros(BINS, np.uint16)
    for level, visits in counted.items():
        bins[level] = visits if most <= MOST_VISITS else visits * MOST_VISITS // most
    return bins


def _floor_ft(bins: Array) -> int:
    below = np.cumsum(bins, dtype=np.int64)
    if below[-1] < MIN_VISITS:
        return NO_FLOOR
    # One low aircraft does not lower its own floor.
    return int(np.argmax(below > max(below[-1] * LOWER_SHARE, 1.0))) * BIN_FT


# What is kept of a cell: 218 bytes.
_CELL = np.dtype(
    [
        ("key", "i2", 2),
        ("levels", "u2", BINS),
        ("floor_ft", "i4"),
        ("runway", "f8", 2),
        ("runway_visits", "u4"),
        ("updated_at", "f8"),
        ("simulated", "?"),
        ("is_used", "?"),
    ]
)
_EMPTY = np.zeros((), _CELL)
_EMPTY["floor_ft"] = NO_FLOOR
# Cells from pole to pole and around the earth; the poles themselves belong to the last row.
ROWS, COLUMNS = round(180 / CELL_DEG), round(360 / CELL_DEG)


# The places of a cell and its neighbours from its own.
_AROUND = np.indices((3, 3)).reshape(2, 9) - 1


def _place(y: Array | int, x: Array | int) -> Any:
    """Where a cell stands in the table of all cells."""
    return np.clip(np.asarray(y) + ROWS // 2, 0, ROWS - 1), (np.asarray(x) + COLUMNS // 2) % COLUMNS


class Learner:
    """Learns from every tick: of simulated aircraft until the first real one, with which that is forgotten.

    Where no row is free for a new cell, the least recently used cells go. The system gives memory to the arrays as
    places in them are used: of the table of all cells that is what lies around the traffic.
    """

    def __init__(self) -> None:
        # The row of each cell of the earth; the first row is that of a cell that is not known.
        self._row_of = np.zeros((ROWS, COLUMNS), np.uint16)
        self._cells = np.zeros(MAX_CELLS + 1, _CELL)
        self._cells[0] = _EMPTY
        # Rows that were used and are free again; those from this one on never were.
        self._free: list[int] = []
        self._unused = 1
        self._changed: set[Cell] = set()
        # The runways as columns, until one of them changes.
        self._runway_columns: tuple[Array, Array] | None = None
        # Whether a real aircraft was learnt from; from then on no simulated one is.
        self._is_real = False
        # Two threads: the tracker learns, a task stores.
        self._lock = threading.Lock()
        self._visited = Carried(level_y=np.nan, level_x=np.nan, level=np.nan, runway_y=np.nan, runway_x=np.nan)

    @property
    def count(self) -> int:
        """How many cells there are."""
        return self._unused - 1 - len(self._free)

    def learnt(self, key: Cell) -> Learnt | None:
        """What is learnt of a cell; None where nothing is."""
        with self._lock:
            cell = self._cells[self._row_of[_place(*key)]].copy()
        if not cell["is_used"]:
            return None
        levels = {int(level): int(cell["levels"][level]) for level in np.flatnonzero(cell["levels"])}
        lat, lon = cell["runway"].tolist()
        runway = (lat, lon) if cell["runway_visits"] else None
        return Learnt(levels, runway, int(cell["runway_visits"]), float(cell["updated_at"]), bool(cell["simulated"]))

    def update(self, frame: Frame) -> None:
        """Count the visits of this tick."""
        self._visited.carry(frame)
        lat, lon, gs = frame.column("lat"), frame.column("lon"), frame.gs_or_zero
        is_learnt_from = frame.has_position & frame.airliner & frame.adsb
        simulated = frame.column("simulated")
        if not self._is_real and (is_learnt_from & ~simulated).any():
            self._is_real = True
            self._forget_simulated()
        if self._is_real:
            is_learnt_from &= ~simulated
        if not is_learnt_from.any():
            return
        altitude = frame.column("alt_baro_ft")
        level = is_learnt_from & ~np.isnan(altitude) & (np.abs(frame.rate_fpm) <= LEVEL_FPM) & (gs >= MIN_KT)
        runway = is_learnt_from & frame.column("on_ground") & (gs >= RUNWAY_KT)
        y, x = np.floor(lat / CELL_DEG), np.floor(lon / CELL_DEG)
        bins = np.floor(altitude / BIN_FT)
        visited = self._visited
        fresh = level & ((visited["level_y"] != y) | (visited["level_x"] != x) | (visited["level"] != bins))
        self._take_levels(np.flatnonzero(fresh), y, x, bins, frame.now)
        visited["level_y"][fresh], visited["level_x"][fresh], visited["level"][fresh] = y[fresh], x[fresh], bins[fresh]
        is_landing = runway & ((visited["runway_y"] != y) | (visited["runway_x"] != x))
        for index in np.flatnonzero(is_landing).tolist():
            row = self._visit((int(y[index]), int(x[index])), frame.now)
            self._cells["runway"][row] = round(float(lat[index]), 4), round(float(lon[index]), 4)
            self._cells["runway_visits"][row] += 1
            self._runway_columns = None
        visited["runway_y"][is_landing], visited["runway_x"][is_landing] = y[is_landing], x[is_landing]

    def _take_levels(self, indexes: Array, y: Array, x: Array, bins: Array, now: float) -> None:
        for index in indexes.tolist():
            level = int(bins[index])
            if 0 <= level < BINS:
                row = self._visit((int(y[index]), int(x[index])), now)
                levels = self._cells["levels"][row]
                if levels[level] == MOST_VISITS:
                    levels //= 2
                levels[level] += 1
                self._cells["floor_ft"][row] = _floor_ft(levels)

    def _visit(self, key: Cell, now: float) -> int:
        """The row of a cell, which is in use now and has changed."""
        row = int(self._row_of[_place(*key)]) or self._add(key)
        self._cells["updated_at"][row] = now
        with self._lock:
            self._changed.add(key)
        return row

    def _add(self, key: Cell) -> int:
        """An empty row for a cell."""
        if self.count >= MAX_CELLS:
            self._drop_oldest()
        with self._lock:
            if self._free:
                row = self._free.pop()
            else:
                row, self._unused = self._unused, self._unused + 1
            self._row_of[_place(*key)] = row
            self._cells[row] = _EMPTY
            self._cells["key"][row], self._cells["is_used"][row] = key, True
            self._cells["simulated"][row] = not self._is_real
        return row

    def _drop_oldest(self) -> None:
        rows = np.flatnonzero(self._cells["is_used"][: self._unused])
        oldest = rows[np.argsort(self._cells["updated_at"][rows], kind="stable")][: max(MAX_CELLS // 100, 1)]
        self.forget({(y, x) for y, x in self._cells["key"][oldest].tolist()})

    def take_changed(self) -> set[Cell]:
        """The cells that changed since the last call."""
        with self._lock:
            changed, self._changed = self._changed, set()
        return changed

    def put_back(self, cells: Iterable[Cell]) -> None:
        """Cells that could not be stored: they are still changed."""
        with self._lock:
            self._changed.update(cells)

    def restore(self, cells: Mapping[Cell, Learnt]) -> None:
        """Restore stored cells; cells learnt since then stay."""
        for key, learnt in cells.items():
            if self._row_of[_place(*key)] or self.count >= MAX_CELLS:
                continue
            row, levels = self._add(key), _bins(learnt.levels)
            self._cells["levels"][row], self._cells["updated_at"][row] = levels, learnt.updated_at
            self._cells["simulated"][row] = learnt.simulated
            if learnt.runway is not None:
                self._cells["runway"][row] = learnt.runway
                self._cells["runway_visits"][row] = max(learnt.runway_visits, 1)
            self._cells["floor_ft"][row] = _floor_ft(levels)
        self._runway_columns = None
        if self._is_real:
            self._forget_simulated()

    def _forget_simulated(self) -> None:
        cells = self._cells[self._cells["simulated"]]
        self.forget({(y, x) for y, x in cells["key"].tolist()})

    def below(self, lat: Array, lon: Array, altitude_ft: Array, margin_ft: float) -> list[tuple[int, int]]:
        """Of some aircraft those that are more than a margin below the floor of their place: index and floor (ft).

        The floor of a place is the lowest of its cell's and its neighbours': terrain and sectors do not end at a
        cell's edge. Where the cell itself has none, nobody is below it.
        """
        ys, xs = np.floor(lat / CELL_DEG).astype(int), np.floor(lon / CELL_DEG).astype(int)
        floors = self._cells["floor_ft"]
        own = floors[self._row_of[_place(ys, xs)]]
        low: list[tuple[int, int]] = []
        for index in np.flatnonzero((own != NO_FLOOR) & (altitude_ft < own - margin_ft)).tolist():
            y, x = ys[index] + _AROUND[0], xs[index] + _AROUND[1]
            around = floors[self._row_of[_place(y, x)]]
            floor = int(around[around != NO_FLOOR].min())
            if altitude_ft[index] < floor - margin_ft:
                low.append((index, floor))
        return low

    def runways(self) -> tuple[Array, Array]:
        """Where aircraft land and take off: latitudes and longitudes."""
        if self._runway_columns is None:
            used = self._cells[: self._unused]
            table = used["runway"][used["runway_visits"] > 0]
            self._runway_columns = table[:, 0], table[:, 1]
        return self._runway_columns

    def forget(self, cells: set[Cell] | None = None) -> None:
        """Forget some cells, or all."""
        if cells is None:
            cells = {(y, x) for y, x in self._cells["key"][self._cells["is_used"]].tolist()}
        forgotten = set()
        with self._lock:
            for cell in cells:
                row = int(self._row_of[_place(*cell)])
                if row:
                    self._row_of[_place(*cell)] = 0
                    self._cells[row] = _EMPTY
                    self._free.append(row)
                    forgotten.add(cell)
        self._runway_columns = None
        self.put_back(forgotten)
