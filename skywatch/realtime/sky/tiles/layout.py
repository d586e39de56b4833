"""Which aircraft of a tick lie in which tile, which of them changed, and which left a tile."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

import numpy as np

from skywatch.picture.state.sky import Sky
from skywatch.realtime.sky.aircraft import Population, members_of
from skywatch.realtime.sky.areas import Rows
from skywatch.realtime.sky.columns import became_stale
from skywatch.realtime.sky.tiles.grid import Grid, Numbers


class TileRows:
    """Rows of a sky in the order of their tiles."""

    def __init__(self, rows: Rows, tiles: Numbers) -> None:
        order = np.argsort(tiles, kind="stable")
        self.rows = rows[order]
        numbers, starts = np.unique(tiles[order], return_index=True)
        ends = np.append(starts, len(rows))[1:]
        # Tile -> begin and end in ``rows``.
        self.spans = dict(zip(numbers.tolist(), zip(starts.tolist(), ends.tolist(), strict=True), strict=True))

    def rows_in(self, tile: int) -> Rows:
        """The rows of one tile."""
        begin, end = self.spans.get(tile, (0, 0))
        return self.rows[begin:end]


class TileLayout:
    """One population of a sky in the tiles of one size; ``before`` is that of the tick before, if known.

    An aircraft that crosses the border of a tile left the one and changed in the other.
    """

    def __init__(self, sky: Sky, population: Population, grid: Grid, before: TileLayout | None) -> None:
        self.sky = sky
        tiles = grid.numbers_at(sky.column("lat"), sky.column("lon"))
        # The tile of each aircraft; -1 for others than those of the population, and without a position.
        self.tiles: Numbers = np.where(members_of(sky, population), tiles, np.int32(-1))
        self._before = before

    def forget_before(self) -> None:
        """Let go of the sky before."""
        self._before = None

    @cached_property
    def all(self) -> TileRows:
        """All aircraft."""
        return self._index(self.tiles >= 0)

    def changed(self, is_read: Numbers) -> TileRows:
        """The aircraft that changed or entered their tile at this tick, in tiles that ``is_read`` counts."""
        assert self._before is not None
        sky, before = self.sky, self._before
        was = sky.column("previous_row")
        is_included = was < 0
        if len(before.sky):
            is_included = is_included | (before.tiles[np.where(was >= 0, was, 0)] != self.tiles)
        is_included = is_included | sky.column("changed") | became_stale(sky, before.sky)
        return self._index(is_included & (self.tiles >= 0) & (is_read[self.tiles] > 0))

    @cached_property
    def removed(self) -> dict[int, list[str]]:
        """Tile -> the addresses of those that were in it one tick ago and are not any more."""
        assert self._before is not None
        before = self._before
        was = self.sky.column("previous_row")
        now = np.full(len(before.sky), -1, dtype=np.int32)
        now[was[was >= 0]] = self.tiles[was >= 0]
        removed: dict[int, list[str]] = defaultdict(list)
        rows = np.flatnonzero((before.tiles >= 0) & (before.tiles != now))
        for row, tile in zip(rows.tolist(), before.tiles[rows].tolist(), strict=True):
            removed[tile].append(before.sky.hexes[row])
        return removed

    def _index(self, is_included: np.ndarray) -> TileRows:
        rows = np.flatnonzero(is_included)
        return TileRows(rows, self.tiles[rows])
