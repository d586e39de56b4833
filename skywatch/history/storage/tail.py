"""The tail: points that are not in chunks yet, as stored in the rows of ``history_tail``."""

from __future__ import annotations

import logging

import numpy as np

from skywatch.history.storage.codec import BrokenChunk, decode
from skywatch.history.storage.points import Points, in_order, no_points

log = logging.getLogger(__name__)


def tail_points(tails: list[tuple[bytes, bytes]]) -> Points:
    """The points of the tail in order, with the newest row's provisional ends."""
    parts = [readable(points) for points, _ in tails]
    if tails:
        parts.append(readable(tails[-1][1]))
    return in_order(np.concatenate(parts)) if parts else no_points()


def readable(data: bytes) -> Points:
    """The points of one column of a row; none where it is damaged, which is logged."""
    try:
        return decode(data)
    except BrokenChunk as error:
        log.error("a row of history_tail cannot be decoded: %s", error)
        return no_points()
