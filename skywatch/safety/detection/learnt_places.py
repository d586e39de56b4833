"""What is learnt from traffic, by place: how low airliners fly level there, and where they land and take off.

Cells are a tenth of a degree. An aircraft counts once a visit of a cell, so that circling aircraft have no effect; the
floor of a cell is the altitude that hardly any aircraft is below. What is learnt is bounded, kept in the database by
the monitor, and can be looked at and forgotten.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

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


@dataclass(slots=True)
class Learnt:
    """The data of one cell: visits by altitude bin, and the position of aircraft on a runway (degrees)."""

    levels: dict[int, int] = field(default_factory=dict)
    runway: tuple[float, float] | None = None
    runway_visits: int = 0
    updated_at: float = 0.0

    def floor_ft(self) -> int | None:
        """The altitude (ft) below which hardly any aircraft flies level, or None while unknown."""
        visits = sum(self.levels.values())
        if visits < MIN_VISITS:
            return None
        # One low aircraft does not lower its own floor.
        most_lower, below = max(visits * LOWER_SHARE, 1.0), 0
        for level in sorted(self.levels):
            below += self.levels[level]
            if below > most_lower:
                return level * BIN_FT
        return None


class Learner:
    """Learns from every tick."""

    def __init__(self) -> None:
        self.cells: dict[Cell, Learnt] = {}
        # The floors (ft) that are known, by cell.
        self._floors: dict[Cell, int] = {}
        self._changed: set[Cell] = set()
        # The runways by cell (degrees), and the same as columns until one of them changes.
        self._runways: dict[Cell, tuple[float, float]] = {}
        self._runway_columns: tuple[Array, Array] | None = None
        # Two threads: the tracker learns, a task stores.
        self._lock = threading.Lock()
        self._visited = Carried(level_y=np.nan, level_x=np.nan, level=np.nan, runway_y=np.nan, runway_x=np.nan)

    def update(self, frame: Frame) -> None:
        """Count the visits of this tick."""
        self._visited.carry(frame)
        lat, lon, gs = frame.column("lat"), frame.column("lon"), frame.gs_or_zero
        is_learnt_from = frame.has_position & frame.airliner & frame.adsb
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
        for row in np.flatnonzero(is_landing).tolist():
            key = int(y[row]), int(x[row])
            cell = self._cell(*key, frame.now)
            cell.runway = (round(float(lat[row]), 4), round(float(lon[row]), 4))
            cell.runway_visits += 1
            self._note_runway(key, cell)
        visited["runway_y"][is_landing], visited["runway_x"][is_landing] = y[is_landing], x[is_landing]

    def _take_levels(self, rows: Array, y: Array, x: Array, bins: Array, now: float) -> None:
        for row in rows.tolist():
            level = int(bins[row])
            if 0 <= level < BINS:
                key = int(y[row]), int(x[row])
                cell = self._cell(*key, now)
                cell.levels[level] = cell.levels.get(level, 0) + 1
                self._note_floor(key, cell)

    def _cell(self, y: int, x: int, now: float) -> Learnt:
        cell = self.cells.get((y, x))
        if cell is None:
            if len(self.cells) >= MAX_CELLS:
                self._drop_oldest()
            cell = self.cells[(y, x)] = Learnt()
        cell.updated_at = now
        with self._lock:
            self._changed.add((y, x))
        return cell

    def _drop_oldest(self) -> None:
        self.forget(set(sorted(self.cells, key=lambda key: self.cells[key].updated_at)[: MAX_CELLS // 100]))

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
            cell = self.cells.setdefault(key, learnt)
            self._note_floor(key, cell)
            self._note_runway(key, cell)

    def _note_floor(self, key: Cell, cell: Learnt) -> None:
        floor = cell.floor_ft()
        if floor is not None:
            self._floors[key] = floor
        else:
            self._floors.pop(key, None)

    def _note_runway(self, key: Cell, cell: Learnt) -> None:
        if cell.runway is not None:
            self._runways[key], self._runway_columns = cell.runway, None

    def below(self, lat: Array, lon: Array, altitude_ft: Array, margin_ft: float) -> list[tuple[int, int]]:
        """Of some aircraft those that are more than a margin below the floor of their place: index and floor (ft).

        The floor of a place is the lowest of its cell's and its neighbours': terrain and sectors do not end at a
        cell's edge. Where the cell itself has none, nobody is below it.
        """
        if not self._floors:
            return []
        ys, xs = np.floor(lat / CELL_DEG).astype(int).tolist(), np.floor(lon / CELL_DEG).astype(int).tolist()
        floors = self._floors
        low: list[tuple[int, int]] = []
        for index, (y, x, altitude) in enumerate(zip(ys, xs, altitude_ft.tolist(), strict=True)):
            own = floors.get((y, x))
            if own is None or altitude >= own - margin_ft:
                continue
            around = ((y + dy, x + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1))
            floor = min(floors[cell] for cell in around if cell in floors)
            if altitude < floor - margin_ft:
                low.append((index, floor))
        return low

    def runways(self) -> tuple[Array, Array]:
        """Where aircraft land and take off: latitudes and longitudes."""
        if self._runway_columns is None:
            table = np.array(list(self._runways.values()), "f8").reshape(-1, 2)
            self._runway_columns = table[:, 0], table[:, 1]
        return self._runway_columns

    def forget(self, cells: set[Cell] | None = None) -> None:
        """Forget some cells, or all."""
        forgotten = set(self.cells) if cells is None else cells & set(self.cells)
        for cell in forgotten:
            del self.cells[cell]
            self._floors.pop(cell, None)
            self._runways.pop(cell, None)
        self._runway_columns = None
        self.put_back(forgotten)
