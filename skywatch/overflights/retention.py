"""The retention of the index of low tracks, which goes with the tracks, and of editions."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from skywatch.core.storage.retention import Kind
from skywatch.history.models import Chunk
from skywatch.overflights.models import Edition, Tile
from skywatch.overflights.settings import OverflightSettings
from skywatch.overflights.tiles import BLOCK_S

_tiles: Any = Tile.__table__
_editions: Any = Edition.__table__
# Tiles of the present are filled while their tracks become chunks.
_FRESH_DAYS = 1.0
_first_track = sa.select(sa.func.coalesce(sa.func.min(Chunk.slice_at), 2**62)).scalar_subquery()
_has_no_tracks = _tiles.c.block_at + BLOCK_S <= _first_track


KINDS: tuple[Kind, ...] = (
    Kind(
        name="low_tracks",
        table=_tiles,
        column="block_at",
        unix=True,
        days=lambda settings: _FRESH_DAYS,
        only=_has_no_tracks,
    ),
    Kind(
        name="report_editions",
        table=_editions,
        column="made_at",
        days=lambda settings: settings.of(OverflightSettings).retention_editions_days,
    ),
)
