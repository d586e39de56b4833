"""The range outline: the farthest position of the last day in each direction from the station (``outline.json``).

Made of history slice by slice; slices that no longer change are read once. After a start it reaches further back with
each answer, until it covers the day.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from sqlalchemy.orm import Session

from skywatch.airframes.military import MilitaryAircraft
from skywatch.core.runtime import Runtime
from skywatch.history.analysis.service import HeardPoints, heard_points
from skywatch.history.storage.points import SLICE_S, Points
from skywatch.history.storage.reader import Span, one_slice_in, read_slices
from skywatch.history.storage.shards import slice_of
from skywatch.readsb.tar1090.past_pictures import in_turn

SPAN_S = 24 * 3600
DIRECTIONS = 360
# A slice this long past takes no more points.
FINAL_AFTER_S = 2 * SLICE_S
# Chunks of history that one answer reads again: those of ten hours of 200 aircraft.
MAX_CHUNKS = 1_000
# tar1090 asks every 15 s.
FRESH_S = 15.0

Station = tuple[float, float]
# One row a direction: distance (nm; 0 where there was nothing), latitude, longitude, altitude (ft; NaN where unknown).
Farthest = npt.NDArray[np.float64]
OutlinePoint = tuple[float, float, int | None]


class RangeOutline:
    """The outline for those who may see military aircraft and for those who may not."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._lock = threading.Lock()
        self._clock = clock
        # By what is left out of them: ``airframes.military.hidden_from`` has another one after every change.
        self._final: dict[tuple[int, MilitaryAircraft | None], Farthest] = {}
        self._made: dict[MilitaryAircraft | None, tuple[float, list[OutlinePoint]]] = {}
        # The station that all of it was measured from.
        self._station: Station | None = None
        self._simulated = False

    def points(
        self, session: Session, station: Station, now: float, hidden: MilitaryAircraft | None, *, simulated: bool
    ) -> list[OutlinePoint]:
        """The outline at unix seconds ``now``, by direction, without the ``hidden`` aircraft.

        ``simulated`` as for ``heard_points``.
        """
        with in_turn(self._lock):
            if (station, simulated) != (self._station, self._simulated):
                self._station, self._simulated, self._final, self._made = station, simulated, {}, {}
            made = self._made.get(hidden)
            if made is None or self._clock() - made[0] >= FRESH_S:
                made = self._clock(), _listed(self._farthest(session, station, now, hidden))
                self._made = {key: value for key, value in self._made.items() if _is_of_now(key, hidden)}
                self._made[hidden] = made
            return made[1]

    def _farthest(self, session: Session, station: Station, now: float, hidden: MilitaryAircraft | None) -> Farthest:
        first, final_until = slice_of(now - SPAN_S), slice_of(now - FINAL_AFTER_S)
        self._final = {
            key: value for key, value in self._final.items() if key[0] >= first and _is_of_now(key[1], hidden)
        }
        missing = [at for at in range(first, final_until, SLICE_S) if (at, hidden) not in self._final]
        if missing:
            # The newest of them: whoever asks again gets more, and nobody waits for a whole day.
            share = one_slice_in(session, Span(missing[0], missing[-1]), MAX_CHUNKS)
            self._read(session, station, missing[-max(1, len(missing) // share) :], hidden)
        open_span = Span(final_until, now, hidden=hidden)
        open_slices = [self._outline_of(points, station) for _, points in read_slices(session, open_span)]
        return merged([_none(), *(value for (_, of), value in self._final.items() if of is hidden), *open_slices])

    def _outline_of(self, points: Points, station: Station) -> Farthest:
        return farthest(heard_points(points, station, simulated=self._simulated), station)

    def _read(self, session: Session, station: Station, missing: list[int], hidden: MilitaryAircraft | None) -> None:
        """Keep what these slices, in order, have; each run of neighbours is read at once."""
        breaks = [index for index in range(1, len(missing)) if missing[index] - missing[index - 1] != SLICE_S]
        for begin, end in itertools.pairwise([0, *breaks, len(missing)]):
            for at, points in read_slices(session, Span(missing[begin], missing[end - 1], hidden=hidden)):
                self._final[at, hidden] = self._outline_of(points, station)
        for at in missing:
            self._final.setdefault((at, hidden), _none())


def range_outline(runtime: Runtime) -> RangeOutline:
    """The outline of a process that serves the API."""
    return RangeOutline()


def _is_of_now(kept: MilitaryAircraft | None, hidden: MilitaryAircraft | None) -> bool:
    """Whether what was made without some aircraft is still made so, as far as a request for ``hidden`` shows."""
    return kept is None or hidden is None or kept is hidden


def farthest(heard: HeardPoints, station: Station) -> Farthest:
    """The farthest point in each direction."""
    farthest = _none()
    order = np.argsort(heard.distance_nm, kind="stable")
    rows = np.column_stack((heard.distance_nm, heard.lat, heard.lon, heard.altitude_ft))
    # Of several values for one direction the last one counts, which is the farthest.
    farthest[heard.sectors(station, DIRECTIONS)[order]] = rows[order]
    return farthest


def merged(several: list[Farthest]) -> Farthest:
    """The farthest of several outlines."""
    stacked = np.stack(several)
    best = stacked[:, :, 0].argmax(axis=0)
    chosen: Farthest = stacked[best, np.arange(DIRECTIONS)]
    return chosen


def _none() -> Farthest:
    return np.zeros((DIRECTIONS, 4))


def _listed(farthest: Farthest) -> list[OutlinePoint]:
    return [
        (round(lat, 4), round(lon, 4), None if altitude != altitude else round(altitude))
        for distance, lat, lon, altitude in farthest.tolist()
        if distance > 0
    ]
