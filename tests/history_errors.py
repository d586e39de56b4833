"""How far stored tracks pass from every position that was received."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._history import FLUSH_S, Database, land_in, new_writer
from benchmarks._rows import rows_of
from benchmarks._traffic import Traffic
from skywatch.core import geo
from skywatch.history.moments.interpolation import Paths
from skywatch.history.recorder.recorder import FUTURE_S
from skywatch.history.recorder.thinner import SAME_POSITION_S
from skywatch.history.storage.points import (
    ALTITUDE_FT,
    AT_S,
    DEGREES,
    SEGMENT_S,
    SLICE_S,
    Points,
    address_code,
    identity,
)
from skywatch.history.storage.reader import Span, read
from skywatch.picture.picture import Picture
from skywatch.picture.state.sky import Sky
from skywatch.receivers.recordings import moments, recognise

_POSITION = ("position_at", "lat", "lon", "alt_baro_ft")
# An aircraft's identity and a time in 10 ms as one number that sorts like the two.
_TIMES = 1 << 37


class Worst:
    """The largest errors met so far (m, ft) and how many positions were looked at; one not stored is infinitely off."""

    def __init__(self) -> None:
        self.metres = self.feet = 0.0
        self.positions = 0

    def add(self, other: Worst) -> None:
        """Take over what another one has met."""
        self.metres, self.feet = max(self.metres, other.metres), max(self.feet, other.feet)
        self.positions += other.positions

    def look(self, points: Points, aircraft: Any, at: Any, lat: Any, lon: Any, alt: Any) -> None:
        """Compare stored points with columns of what was received (``alt`` in feet, NaN where unknown).

        ``points`` hold at least those around the times received; ``aircraft`` is their ``points.identity``.
        """
        if not len(at):
            return
        zero = min(int(points["at"].min(initial=1 << 60)), int(at.min() / AT_S)) - 1
        stored = identity(points).astype(np.int64) * _TIMES + points["at"] - zero
        order = np.argsort(stored, kind="stable")
        stored, points = stored[order], points[order]
        ticks = np.floor(at / AT_S + 1e-6).astype(np.int64) - zero
        rows = np.searchsorted(stored, aircraft.astype(np.int64) * _TIMES + ticks, side="right") - 1
        found = (rows >= 0) & (identity(points)[np.maximum(rows, 0)] == aircraft)
        rows = np.maximum(rows, 0)
        read = Paths(points).at(rows, at * 1000)
        apart = geo.distance_nm(read.lat * DEGREES, read.lon * DEGREES, lat, lon) * geo.METRES_PER_NM
        self.metres = max(self.metres, float(np.where(found, apart, np.inf).max()))
        known = ~np.isnan(alt)
        if known.any():
            self.feet = max(self.feet, float(np.abs(read.alt * ALTITUDE_FT - alt)[known].max()))
        self.positions += len(at)


def skies(path: Path, seconds: float = math.inf) -> Iterator[Sky]:
    """The picture of every second of a recording, or of its first ``seconds``, in which anything was heard."""
    clock, end = [0.0], math.inf
    picture = Picture(clock=lambda: clock[0], monotonic=lambda: clock[0])
    for at, heard in moments(str(path), recognise(str(path)), None, Counter()):
        if at > clock[0]:
            if clock[0]:
                yield picture.tick()
            else:
                end = at + seconds
            if at > end:
                return
            clock[0] = float(math.ceil(at))
        picture.put("tape", heard.reports, heard.messages)
    yield picture.tick()


class Fresh:
    """Tells which positions of a sky have not been there before."""

    def __init__(self) -> None:
        self._last: dict[str, float] = {}

    def __call__(self, sky: Sky) -> Any:
        """A boolean column."""
        at, lat = sky.column("position_at"), sky.column("lat")
        last = np.array([self._last.get(address, -np.inf) for address in sky.hexes])
        fresh = (at > last + SAME_POSITION_S) & (at <= sky.now + FUTURE_S) & np.isfinite(lat)
        for row in np.flatnonzero(fresh).tolist():
            self._last[sky.hexes[row]] = float(at[row])
        return fresh


def tape(path: Path, *bases: Database, seconds: float = math.inf) -> tuple[list[dict[str, Any]], list[Worst]]:
    """Record a recording, or its first ``seconds``, in each database; its positions as rows, and the errors in each."""
    writers, fresh = [new_writer(base) for base in bases], Fresh()
    rows: list[dict[str, Any]] = []
    now = 0.0
    for number, sky in enumerate(skies(path, seconds)):
        now = sky.now
        rows += rows_of(sky, fresh(sky))
        for writer in writers:
            writer.recorder.take(sky)
            if number % FLUSH_S == FLUSH_S - 1:
                writer.flush()
    aircraft = np.array([address_code(row["icao_hex"]) for row in rows])
    columns = [np.array([row[name] for row in rows], float) for name in ("at", "lat", "lon", "alt")]
    errors = []
    for base, writer in zip(bases, writers, strict=True):
        land_in(writer, now)
        worst = Worst()
        with base.sessions() as session:
            points = read(session, Span(rows[0]["at"] - 3600, now + 3600))
        worst.look(points, aircraft, *columns)
        errors.append(worst)
    return rows, errors


def day_error(base: Database, traffic: Traffic, seconds: int) -> Worst:
    """Fly the traffic once more, and compare it slice by slice with what is stored."""
    worst = Worst()
    gathered: list[tuple[Any, ...]] = []
    for second in range(1, seconds + 1):
        sky = traffic()
        gathered.append((np.array([int(h, 16) for h in sky.hexes]), *(sky.column(name) for name in _POSITION)))
        if second % SLICE_S == 0 or second == seconds:
            columns = [np.concatenate(column) for column in zip(*gathered, strict=True)]
            gathered = []
            with base.sessions() as session:
                points = read(session, Span(columns[1].min() - SEGMENT_S, columns[1].max() + SEGMENT_S))
            worst.look(points, *columns)
    return worst
