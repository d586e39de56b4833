"""The tail: points that are not in chunks yet, as stored in the rows of ``history_tail``."""

from __future__ import annotations

import logging

import numpy as np

from skywatch.history.storage.codec import BrokenChunk, decode
from skywatch.history.storage.points import Points, in_order, no_points

log = logging.getLogger(__name__)


def tail_points(tails: list[tuple[bytes, bytes]]) -> Points:
    """The points of the tail in order, with the newest row's provisional ends."""
    parts = []
    for number, (points, ends) in enumerate(tails, 1):
        try:
            parts.append(decode(points))
            if number == len(tails):
                parts.append(decode(ends))
        except BrokenChunk as error:
            log.error("a row of history_tail cannot be decoded: %s", error)
    return in_order(np.concatenate(parts)) if parts else no_points()
