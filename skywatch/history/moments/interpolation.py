"""Where aircraft were at a moment, from their stored points: linear in time between two points of one segment.

There is no interpolation across an interruption nor between ground and air: the aircraft stays at its last position.
Times are whole milliseconds since the unix epoch; positions are on the points' grid (see ``points``), with fractions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.history.storage.points import AT_S, GAP, GAP_S, GROUND, NO_ALTITUDE, Points, identity, starts_of

Column = npt.NDArray[Any]
KIND = GROUND | NO_ALTITUDE
# Cells computed at once (moments times flights): the columns of so many stay in the processor's cache.
CELLS = 8192
_TIMEOUT_MS = round(GAP_S * 1000)
_TICK_MS = round(AT_S * 1000)


@dataclass(frozen=True)
class Positions:
    """Columns of one length: the row of the point before, and the values at the moment asked for.

    ``gs`` and ``track`` are those of the nearer point; ``age_ms`` is how long ago the aircraft was seen, 0 between
    two points of a segment.
    """

    row: Column
    lat: Column
    lon: Column
    alt: Column
    gs: Column
    track: Column
    age_ms: Column


class Paths:
    """The segments between ordered points."""

    def __init__(self, points: Points) -> None:
        before, after = points[:-1], points[1:]
        self._is_joined = np.zeros(len(points), bool)
        self._is_joined[:-1] = (
            (before["aircraft"] == after["aircraft"])
            & (before["flight"] == after["flight"])
            & (after["flags"] & GAP == 0)
            & ((before["flags"] ^ after["flags"]) & KIND == 0)
        )
        self._at_ms = points["at"] * _TICK_MS
        self._values = {name: np.ascontiguousarray(points[name]) for name in ("lat", "lon", "alt", "gs", "track")}
        self._way = {name: self._differences(self._values[name]) for name in ("lat", "lon", "alt")}
        # An infinite duration keeps the share at 0 where the next point is not connected.
        self._duration = np.where(self._is_joined, np.maximum(self._differences(self._at_ms), 1.0), np.inf)

    def _differences(self, column: Column) -> Column:
        differences = np.zeros(len(column))
        differences[:-1] = np.diff(column.astype(np.int64))
        return np.where(self._is_joined, differences, 0.0)

    def at(self, row: Column, moments: Column) -> Positions:
        """The positions at each of ``moments``, each on the path that begins at the point in ``row``.

        That is the last point of its track that is not after the moment.
        """
        elapsed = moments - self._at_ms[row]
        share = elapsed / self._duration[row]
        nearer = row + (share >= 0.5)
        lat, lon, alt = (self._values[name][row] + self._way[name][row] * share for name in ("lat", "lon", "alt"))
        age_ms = np.where(self._is_joined[row], 0, np.maximum(elapsed, 0))
        return Positions(row, lat, lon, alt, self._values["gs"][nearer], self._values["track"][nearer], age_ms)


@dataclass(frozen=True)
class MomentBatch:
    """Some moments one after the other: from moment ``first`` on, ``counts`` aircraft at each.

    ``flight`` is the number of each one's track (in ``points.starts_of``), in order of the moments.
    """

    first: int
    counts: Column
    flight: Column
    positions: Positions


def sweep(points: Points, moments: Column) -> Iterator[MomentBatch]:
    """Where every aircraft was at each of ``moments``, which are in order; not those unseen for GAP_S.

    An aircraft appears once at a moment, in the flight that it was received in last. ``points`` are in order.
    """
    starts = starts_of(points)
    paths, siblings = Paths(points), _OverlappingTracks(points, starts)
    fresh, at_moment, flight_of = _last_before(points, starts, moments)
    last = np.full(len(starts), -1)
    batch_size = max(1, CELLS // max(1, len(starts)))
    for first in range(0, len(moments), batch_size):
        count = min(batch_size, len(moments) - first)
        begin, end = np.searchsorted(at_moment, (first, first + count))
        rows = np.full((count, len(starts)), -1)
        rows[0] = last
        rows[at_moment[begin:end] - first, flight_of[begin:end]] = fresh[begin:end]
        np.maximum.accumulate(rows, axis=0, out=rows)
        last = rows[-1].copy()
        moment, flight = np.nonzero(rows >= 0)
        row = rows[moment, flight]
        positions = paths.at(row, moments[first + moment])
        indexes = siblings.newest(positions.age_ms <= _TIMEOUT_MS, row, moment, flight)
        yield MomentBatch(
            first, np.bincount(moment[indexes], minlength=count), flight[indexes], _select(positions, indexes)
        )


def _last_before(points: Points, starts: Column, moments: Column) -> tuple[Column, Column, Column]:
    """The rows after which a moment comes before their track's next, in order of moments; that moment; the track."""
    moment = np.searchsorted(moments, points["at"] * _TICK_MS, side="left")
    flight = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(points))))
    is_last = np.ones(len(points), bool)
    is_last[:-1] = (moment[1:] != moment[:-1]) | (flight[1:] != flight[:-1])
    rows = np.flatnonzero(is_last & (moment < len(moments)))
    rows = rows[np.argsort(moment[rows], kind="stable")]
    return rows, moment[rows], flight[rows]


def _select(positions: Positions, which: Column) -> Positions:
    return Positions(*(getattr(positions, name)[which] for name in Positions.__dataclass_fields__))


class _OverlappingTracks:
    """Tracks of one aircraft at the same moment: there are two when a flight has just ended and the next begun."""

    def __init__(self, points: Points, starts: Column) -> None:
        _, self._aircraft, tracks = np.unique(identity(points)[starts], return_inverse=True, return_counts=True)
        self._several = tracks[self._aircraft] > 1
        self._at = points["at"]

    def newest(self, is_shown: Column, row: Column, moment: Column, flight: Column) -> Column:
        """The indexes of what is shown, without the older one where an aircraft has two tracks at a moment."""
        doubtful = np.flatnonzero(is_shown & self._several[flight])
        if len(doubtful):
            aircraft, when = self._aircraft[flight[doubtful]], moment[doubtful]
            order = np.lexsort((self._at[row[doubtful]], aircraft, when))
            same = (np.diff(aircraft[order]) == 0) & (np.diff(when[order]) == 0)
            is_shown[doubtful[order[:-1][same]]] = False
        return np.flatnonzero(is_shown)
