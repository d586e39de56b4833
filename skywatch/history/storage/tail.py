"""The tail: points that are not in chunks yet, in the rows of ``history_tail``.

A process keeps the rows that it has decoded: a row never changes, and is asked for again and again.
Decoding was nearly all of the work of reading one aircraft, and the tail grows for ten minutes until it becomes chunks.
"""

from __future__ import annotations

import logging
import threading
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.history.models import Tail
from skywatch.history.storage.codec import BrokenChunk, decode
from skywatch.history.storage.points import Points, identity, in_order, join, no_points, starts_of

log = logging.getLogger(__name__)

# A row's number, time and lengths: SQLite gives the numbers of deleted rows again.
Key = tuple[Any, ...]


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


def read_tail(session: Session, aircraft: int | None = None) -> Points:
    """The points that are not in chunks yet, in order, with the newest row's provisional ends.

    Of one aircraft (its ``points.identity``), or of all.
    """
    rows, ends = _cache_of(session).read(session)
    parts = [row.of(aircraft) for row in (*rows, ends) if row is not None]
    return in_order(join(parts)) if parts else no_points()


class _Grouped:
    """Points in order of aircraft, decoded when they are first read."""

    def __init__(self, data: bytes) -> None:
        self._data: bytes | None = data
        self._lock = threading.Lock()

    def of(self, only: int | None) -> Points:
        """All points, or those of one aircraft."""
        with self._lock:
            if self._data is not None:
                self._decode(self._data)
        if only is None:
            return self._points
        groups = np.flatnonzero(self._identities == only).tolist()
        found = [self._points[self._starts[group] : self._starts[group + 1]] for group in groups]
        return join(found) if found else no_points()

    def _decode(self, data: bytes) -> None:
        self._points = readable(data)
        self._points.flags.writeable = False
        first = starts_of(self._points)
        self._starts, self._identities = np.append(first, len(self._points)), identity(self._points[first])
        self._data = None


class _Rows(NamedTuple):
    """The rows of the tail at a moment, oldest first, and the provisional ends of the newest one with its key."""

    points: dict[Key, _Grouped]
    newest: Key | None = None
    ends: _Grouped | None = None


class _Cache:
    """The rows that were there at the last reading."""

    def __init__(self) -> None:
        self._rows = _Rows({})

    def read(self, session: Session) -> tuple[list[_Grouped], _Grouped | None]:
        """The rows of the session's transaction, oldest first, and the ends; only those that are new are fetched."""
        # A number may have been given again.
        rows = _fetched(session, self._rows) or _fetched(session, _Rows({})) or _Rows({})
        # Another thread may have fetched, and decoded, the same row.
        current = self._rows
        points = {key: current.points.get(key, row) for key, row in rows.points.items()}
        ends = current.ends if current.newest == rows.newest else rows.ends
        self._rows = _Rows(points, rows.newest, ends)
        return list(points.values()), ends


def _fetched(session: Session, known: _Rows) -> _Rows | None:
    """All rows by one statement, so that they are of one moment; None where a known number has another row."""
    numbers = [key[0] for key in known.points]
    lengths = sa.func.length(Tail.points), sa.func.length(Tail.ends)
    points = sa.case((Tail.id.in_(numbers), None), else_=Tail.points)
    # Those of rows before the newest are never read again.
    is_newest = Tail.id == sa.select(sa.func.max(Tail.id)).scalar_subquery()
    ends = sa.case((is_newest & (Tail.id != (known.newest[0] if known.newest else -1)), Tail.ends), else_=None)
    found: dict[Key, _Grouped] = {}
    newest, of_newest = None, None
    rows = session.execute(sa.select(Tail.id, Tail.written_at, *lengths, points, ends).order_by(Tail.id))
    for *key, row_points, row_ends in rows:
        newest, of_newest = tuple(key), row_ends
        row = _Grouped(row_points) if row_points is not None else known.points.get(newest)
        if row is None:
            return None
        found[newest] = row
    if newest is None:
        return _Rows({})
    if of_newest is not None:
        return _Rows(found, newest, _Grouped(of_newest))
    return _Rows(found, newest, known.ends) if newest == known.newest else None


_caches: WeakKeyDictionary[Any, _Cache] = WeakKeyDictionary()
_caches_lock = threading.Lock()


def _cache_of(session: Session) -> _Cache:
    """One for each database."""
    with _caches_lock:
        return _caches.setdefault(session.get_bind().engine, _Cache())
