"""How the aircraft of a slice are divided into chunks, so that one aircraft is found without reading all.

A slice is divided into a power of two of shards, more where more was flying, so that each chunk is worth its
compression and its row. A shard's number tells both which part and of how many: part *p* of *n* is ``n + p``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.history.points import ADDRESS_MASK, NON_ICAO, SLICE_S, Points, in_order, starts_of

# Points in a chunk at most, more or less: half of that, about 1.6 KB, is the rule. Chunks five times as large are
# 6% smaller in all, but whoever asks for one aircraft decodes five times as much; and PostgreSQL keeps values of up
# to 2 KB in the row itself, where reading them costs no look-up in a second table.
TARGET_POINTS = 400
MOST_PARTS = 1024
COUNTS = tuple(1 << power for power in range(MOST_PARTS.bit_length()))


def _spread(aircraft: Any) -> Any:
    # Knuth's multiplicative hash: neighbours in an airline's block of addresses part ways.
    code = np.asarray(aircraft, np.uint64) & np.uint64(ADDRESS_MASK | NON_ICAO)
    return ((code * np.uint64(2654435761)) & np.uint64(0xFFFFFFFF)) >> np.uint64(16)


def parts_for(points: int) -> int:
    """Into how many parts a slice of so many points is divided."""
    return next((count for count in COUNTS if points <= count * TARGET_POINTS), MOST_PARTS)


def shards_of(aircraft: int) -> list[int]:
    """Every number that the shard of an aircraft can have (``aircraft`` as in the column of that name)."""
    spread = int(_spread(aircraft))
    return [count + spread % count for count in COUNTS]


def slice_of(at_s: float) -> int:
    """The begin of the slice that holds a moment; both in unix seconds."""
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
            chunks.append((parts + number, len(np.unique(chunk["aircraft"][starts_of(chunk)])), chunk))
    return chunks
