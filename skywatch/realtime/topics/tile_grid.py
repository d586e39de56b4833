"""The squares of the tiles form: 5 degrees below zoom 8 and 1 degree from 8 on, named ``size:row:column``.

Rows are counted from the South Pole, columns from the date line, both from 0. A square holds its southern and western
edges; those of the last row and column hold the North Pole and a longitude of exactly 180 as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.sentences import sentence

Numbers = npt.NDArray[np.int32]

# Largest number of tiles of one subscription.
MAX_TILES = 400
MAX_ZOOM = 30
# From this zoom on a screen is covered by few enough tiles of one degree.
FINE_ZOOM = 8
_NAME = re.compile(r"([15]):(0|[1-9][0-9]{0,2}):(0|[1-9][0-9]{0,2})", re.ASCII)


@dataclass(frozen=True)
class Grid:
    """The world in squares of ``size_deg``; each has a number, row by row from the south-west corner."""

    size_deg: int

    @property
    def rows(self) -> int:
        """Squares from pole to pole."""
        return 180 // self.size_deg

    @property
    def columns(self) -> int:
        """Squares around the world."""
        return 360 // self.size_deg

    def __len__(self) -> int:
        return self.rows * self.columns

    def numbers_at(self, lat: Any, lon: Any) -> Numbers:
        """The number of the square of each position, -1 where the position is unknown (NaN)."""
        row = np.clip(np.floor((lat + 90) / self.size_deg), 0, self.rows - 1)
        column = np.clip(np.floor((lon + 180) / self.size_deg), 0, self.columns - 1)
        is_known = np.isfinite(lat) & np.isfinite(lon)
        return np.where(is_known, row * self.columns + column, -1).astype(np.int32)

    def name(self, number: int) -> str:
        """The name of a square."""
        row, column = divmod(number, self.columns)
        return f"{self.size_deg}:{row}:{column}"

    def number(self, name: str) -> int:
        """The number of a square by its name; raises ValueError with a sentence for the client."""
        parts = _NAME.fullmatch(name)
        if parts is None:
            raise ValueError(
                sentence(
                    "realtime.tile_name",
                    "{name} is not the name of a tile, which is size:row:column, such as 5:27:37",
                    name=name[:32],
                )
            )
        size, row, column = map(int, parts.groups())
        if size != self.size_deg:
            raise ValueError(
                sentence(
                    "realtime.tile_zoom",
                    "{name} does not fit the zoom: tiles are of 5 degrees below zoom {fine_zoom}, of 1 "
                    "degree from then on",
                    name=name,
                    fine_zoom=FINE_ZOOM,
                )
            )
        if row >= self.rows or column >= self.columns:
            raise ValueError(
                sentence(
                    "realtime.tile_outside",
                    "{name} lies outside the world: with a size of {size} rows are 0 to {rows}, columns 0 to {columns}",
                    name=name,
                    size=size,
                    rows=self.rows - 1,
                    columns=self.columns - 1,
                )
            )
        return row * self.columns + column


COARSE, FINE = Grid(5), Grid(1)


@dataclass(frozen=True)
class TileForm:
    """The squares that a subscriber reads, each once."""

    grid: Grid
    tiles: tuple[int, ...] = ()


def parse_tiles(zoom: float | None, names: Sequence[str] | None) -> TileForm:
    """The tiles that a message names for its zoom; raises ValueError with a sentence for the client."""
    if zoom is None or names is None:
        raise ValueError(sentence("realtime.tiles_needed", 'the format "tiles" needs zoom and tiles'))
    # Not for NaN, either.
    if not 0 <= zoom <= MAX_ZOOM:
        raise ValueError(sentence("realtime.zoom", "zoom must be 0 to {most}", most=MAX_ZOOM))
    if not 1 <= len(names) <= MAX_TILES:
        raise ValueError(
            sentence(
                "realtime.tile_count",
                "tiles must name 1 to {most} tiles, not {count}",
                most=MAX_TILES,
                count=len(names),
            )
        )
    grid = COARSE if zoom < FINE_ZOOM else FINE
    return TileForm(grid, tuple(dict.fromkeys(map(grid.number, names))))
