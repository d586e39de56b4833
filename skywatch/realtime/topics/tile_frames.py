"""The frames of tiles: made once a tick for all readers with the same rights, and never for a tile that nobody reads.

``TileLayout`` says which aircraft of a tick lie in which tile, which of them changed, and which left a tile. Only tiles
with aircraft that are marked for a user (flag 8) are that user's own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import msgspec
import numpy as np

from skywatch.core.arrays import distinct
from skywatch.picture.state.sky import Sky
from skywatch.realtime.topics.areas import Rows
from skywatch.realtime.topics.column_events import ColumnEvents
from skywatch.realtime.topics.columns import DEFAULT_FIELDS, EncodedRows, array_head, became_stale
from skywatch.realtime.topics.picture_state import LiveView, PictureState, Population, members_of
from skywatch.realtime.topics.tile_grid import Grid, Numbers, TileForm
from skywatch.realtime.wire.frames import message_frame
from skywatch.realtime.wire.native import packed_head

EVENT = "aircraft:tile"
_pack = msgspec.msgpack.Encoder().encode


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

    def become_previous(self, sky: Sky) -> None:
        """Let go of the sky before, and of what ``PictureState.previous`` has not of this one."""
        self.sky, self._before = sky, None

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


@dataclass(frozen=True)
class Variant:
    """All of a tile's frame that is not the tile: two readers with the same variant get the same bytes."""

    topic: str
    population: Population
    grid: Grid
    deflate: bool

    @property
    def view(self) -> LiveView:
        """The view that names the epoch."""
        return LiveView(self.topic, self.population, False, None, TileForm(self.grid))


class TileEvents:
    """The frames of the present tick."""

    def __init__(self, state: PictureState, columns: ColumnEvents) -> None:
        self._state = state
        self._columns = columns
        self.marked = columns.marked
        self._layouts: dict[tuple[Population, Grid], TileLayout] = {}
        self._frames: dict[Variant, VariantFrames] = {}
        # Packed names of tiles that were read.
        self._names: dict[Grid, dict[int, bytes]] = defaultdict(dict)

    def of(self, variant: Variant) -> VariantFrames:
        """The frames of a variant at this tick."""
        frames = self._frames.get(variant)
        if frames is None or frames.layout.sky is not self._state.sky:
            layout = self._layout(variant.population, variant.grid)
            rows = self._columns.encoded_rows(DEFAULT_FIELDS, False)
            names = self._names[variant.grid]
            frames = self._frames[variant] = VariantFrames(variant, self._state, layout, rows, names)
        return frames

    def forget(self, variants: Iterable[Variant]) -> None:
        """Let go of what only other variants than these need."""
        kept = set(variants)
        self._frames = {variant: frames for variant, frames in self._frames.items() if variant in kept}
        sizes = {(variant.population, variant.grid) for variant in kept}
        self._layouts = {key: layout for key, layout in self._layouts.items() if key in sizes}

    def _layout(self, population: Population, grid: Grid) -> TileLayout:
        sky, previous = self._state.sky, self._state.previous
        last = self._layouts.get((population, grid))
        if last is not None and last.sky is sky:
            return last
        before = None
        if previous is not None:
            is_previous = last is not None and (last.sky.epoch, last.sky.seq) == (previous.epoch, previous.seq)
            before = last if is_previous else TileLayout(previous, population, grid, None)
            assert before is not None
            before.become_previous(previous)
        layout = self._layouts[population, grid] = TileLayout(sky, population, grid, before)
        return layout


class VariantFrames:
    """The frames of one variant at one tick."""

    def __init__(
        self,
        variant: Variant,
        state: PictureState,
        layout: TileLayout,
        rows: EncodedRows,
        names: dict[int, bytes],
    ) -> None:
        self.layout = layout
        self._names = names
        self._rows = rows
        self._variant = variant
        sky = layout.sky
        shared = {"fields": DEFAULT_FIELDS, "hidden": 0, "now": round(sky.now, 3)}
        # A map of seven: these three, and the four that differ from tile to tile.
        self._head = packed_head(variant.topic, EVENT, state.epoch(variant.view), sky.seq)
        self._head += b"\x87" + msgspec.msgpack.encode(shared)[1:]
        self._full: dict[int, bytes] = {}
        self._changes: dict[int, bytes] | None = None
        self._changed: TileRows | None = None
        self._personal: dict[tuple[int, int, bool], bytes] = {}

    def changes(self, is_read: Numbers) -> dict[int, bytes]:
        """Tile -> frame, for each tile that is read and where anything changed at this tick."""
        if self._changes is None:
            changed = self._changed = self.layout.changed(is_read)
            removed = self.layout.removed
            packed, frames = self._rows.packed_run(changed.rows), {}
            for tile, (begin, end) in changed.spans.items():
                rows = packed.between(begin, end)
                frames[tile] = self._frame(tile, end - begin, rows, removed.get(tile, []), full=False)
            for tile, addresses in removed.items():
                if tile not in frames and is_read[tile]:
                    frames[tile] = self._frame(tile, 0, b"", addresses, full=False)
            self._changes = frames
        return self._changes

    def full(self, tiles: Iterable[int]) -> list[bytes]:
        """The frames with the whole contents of some tiles."""
        tiles = list(tiles)
        missing = [tile for tile in tiles if tile not in self._full]
        if missing:
            rows = [self.layout.all.rows_in(tile) for tile in missing]
            packed, at = self._rows.packed_run(np.concatenate(rows)), 0
            for tile, part in zip(missing, rows, strict=True):
                rows_of_tile = packed.between(at, at + len(part))
                self._full[tile] = self._frame(tile, len(part), rows_of_tile, [], full=True)
                at += len(part)
        return [self._full[tile] for tile in tiles]

    def personal(self, user: int, marked: Rows, toggled: Rows, tiles: Iterable[int], *, full: bool) -> dict[int, bytes]:
        """Tile -> frame, for those of some tiles whose rows are another for a user than for everybody."""
        if full or self._changed is None:
            touched, index = marked, self.layout.all
        else:
            index = self._changed
            touched = distinct(np.concatenate((np.intersect1d(marked, index.rows), toggled)))
        own = set(self.layout.tiles[touched].tolist()).intersection(tiles)
        return {tile: self._personal_frame(user, tile, index, marked, toggled, full=full) for tile in own}

    def _personal_frame(
        self, user: int, tile: int, index: TileRows, marked: Rows, toggled: Rows, *, full: bool
    ) -> bytes:
        frame = self._personal.get((user, tile, full))
        if frame is None:
            rows, removed = index.rows_in(tile), []
            if not full:
                rows = distinct(np.concatenate((rows, toggled[self.layout.tiles[toggled] == tile])))
                removed = self.layout.removed.get(tile, [])
            bodies = self._rows.packed_bodies(rows, marked)
            frame = self._frame(tile, len(bodies), b"".join(bodies), removed, full=full)
            self._personal[user, tile, full] = frame
        return frame

    def _frame(self, tile: int, count: int, rows: bytes, removed: list[str], *, full: bool) -> bytes:
        name = self._names.get(tile)
        if name is None:
            name = self._names[tile] = b"\xa4tile" + _pack(self._variant.grid.name(tile))
        parts = (
            self._head,
            name,
            b"\xa4full\xc3" if full else b"\xa4full\xc2",
            b"\xa7removed" + _pack(removed) if removed else b"\xa7removed\x90",
            b"\xa4rows",
            array_head(count),
            rows,
        )
        return message_frame(b"".join(parts), self._variant.deflate, binary=True)
