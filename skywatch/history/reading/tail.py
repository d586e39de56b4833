"""The rows of ``history_tail`` as this process has decoded them: a row never changes, and is asked for again and again.

Decoding was nearly all of the work of reading one aircraft, and the tail grows for ten minutes until it becomes chunks.
"""

from __future__ import annotations

import threading
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.history.models import Tail
from skywatch.history.storage.points import Points, identity, in_order, join, no_points, starts_of
from skywatch.history.storage.tail import readable

# A row's number, time and lengths: SQLite gives the numbers of deleted rows again.
Key = tuple[Any, ...]


def read_tail(session: Session, aircraft: int | None = None) -> Points:
    """The points that are not in chunks yet, in order, with the newest row's provisional ends.

    Of one aircraft (its ``points.identity``), or of all.
    """
    rows = _cache_of(session).read(session)
    parts = [row.points.of(aircraft) for row in rows]
    if rows:
        parts.append(rows[-1].ends.of(aircraft))
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


class _Row:
    """A row: its points, and the provisional ends of the segments that were open when it was written."""

    def __init__(self, points: bytes, ends: bytes) -> None:
        self.points, self.ends = _Grouped(points), _Grouped(ends)


class _Cache:
    """The rows that were there at the last reading."""

    def __init__(self) -> None:
        self._rows: dict[Key, _Row] = {}

    def read(self, session: Session) -> list[_Row]:
        """The rows of the session's transaction, oldest first; only those that are new are fetched."""
        known = self._rows
        rows = _fetched(session, known)
        if rows is None:
            # A number that was given again.
            rows = _fetched(session, {}) or {}
        # Another thread may have fetched, and decoded, the same row.
        current = self._rows
        self._rows = rows = {key: current.get(key, row) for key, row in rows.items()}
        return list(rows.values())


def _fetched(session: Session, known: dict[Key, _Row]) -> dict[Key, _Row] | None:
    """All rows by one statement, so that they are of one moment; None where a known number has another row."""
    numbers = [key[0] for key in known]
    lengths = sa.func.length(Tail.points), sa.func.length(Tail.ends)
    data = [sa.case((Tail.id.in_(numbers), None), else_=column) for column in (Tail.points, Tail.ends)]
    found: dict[Key, _Row] = {}
    for *key, points, ends in session.execute(sa.select(Tail.id, Tail.written_at, *lengths, *data).order_by(Tail.id)):
        row = _Row(points, ends) if points is not None else known.get(tuple(key))
        if row is None:
            return None
        found[tuple(key)] = row
    return found


_caches: WeakKeyDictionary[Any, _Cache] = WeakKeyDictionary()
_caches_lock = threading.Lock()


def _cache_of(session: Session) -> _Cache:
    """One for each database."""
    with _caches_lock:
        return _caches.setdefault(session.get_bind().engine, _Cache())
