"""How the aircraft of a slice are divided into chunks, so that one aircraft is read without the others.

A slice is divided into a power of two of shards, by its number of points, so that chunks are large enough to compress
well. A shard's number gives both the part and the number of parts: part *p* of *n* is ``n + p``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.core.arrays import distinct
from skywatch.history.storage.points import ADDRESS_MASK, NON_ICAO, SLICE_S, Points, in_order, starts_of

# Approximate limit of points in a chunk; half of it, about 1.6 KB, is typical. Chunks five times as large save 6% in
# all, but a query for one aircraft decodes five times as much, and PostgreSQL stores values of up to 2 KB in the row
# itself, where reading them needs no look-up in a TOAST table.
TARGET_POINTS = 400
MAX_PARTS = 1024
COUNTS = tuple(1 << power for power in range(MAX_PARTS.bit_length()))


def _spread(aircraft: Any) -> Any:
    # Knuth's multiplicative hash: adjacent addresses of an airline's block go to different shards.
    code = np.asarray(aircraft, np.uint64) & np.uint64(ADDRESS_MASK | NON_ICAO)
    return ((code * np.uint64(2654435761)) & np.uint64(0xFFFFFFFF)) >> np.uint64(16)


def parts_for(points: int) -> int:
    """The number of parts of a slice with so many points."""
    return next((count for count in COUNTS if points <= count * TARGET_POINTS), MAX_PARTS)


def shards_of(aircraft: int) -> list[int]:
    """Every possible number of the shard of an aircraft (``aircraft`` as in the column of that name)."""
    spread = int(_spread(aircraft))
    return [count + spread % count for count in COUNTS]


def slice_of(at_s: float) -> int:
    """The begin of the slice that contains a moment; both in unix seconds."""
    return int(at_s // SLICE_S) * SLICE_S


def slices(points: Points) -> npt.NDArray[np.int64]:
    """The begin of the slice of each point."""
    begins: npt.NDArray[np.int64] = points["at"] // (SLICE_S * 100) * SLICE_S
    return begins


def divide(points: Points) -> list[tuple[int, int, Points]]:
    """Points of one slice as (shard, number of aircraft, points in order) for each chunk that is not empty."""
    parts = parts_for(len(points))
    part = _spread(points["aircraft"]) % np.uint64(parts)
    ordered_by_part = np.argsort(part, kind="stable")
    cuts = np.searchsorted(part[ordered_by_part], np.arange(parts + 1))
    chunks = []
    for number in range(parts):
        rows = ordered_by_part[cuts[number] : cuts[number + 1]]
        if len(rows):
            chunk = in_order(points[rows])
            chunks.append((parts + number, len(distinct(chunk["aircraft"][starts_of(chunk)])), chunk))
    return chunks
