"""The trail of each flight in the sky: its positions, thinned to what a map can show and bounded in number and age.

A point is kept where the aircraft is not where its last kept point said it would be by now, so that straight flight
costs little and every turn is there. History keeps tracks for good; this is what is in memory for the live map.
"""

from __future__ import annotations

import threading
from array import array
from bisect import bisect_left
from typing import NamedTuple

import msgspec
import numpy as np

from skywatch.core.arrays import Array
from skywatch.picture.state.sky import Sky

# How far an aircraft may be from where its last point led (nm): about 90 m in flight, 18 m on the ground.
TOLERANCE_NM, GROUND_TOLERANCE_NM = 0.05, 0.01
# Without speed and track a point is kept for every so many nm.
UNGUIDED_TOLERANCE_NM = 0.2
TOLERANCE_FT = 200.0
# A turn by so many degrees is kept, not oftener than this (s): where an aircraft circles it stays round on any map.
TURN_DEG, TURN_S = 10.0, 5.0
# Slower than this (kt) an aircraft hovers, and where it heads is no turn.
TURN_KT = 20.0
# Even in straight flight a point is kept this often (s).
MAX_GAP_S = 30.0
# When a trail is full every second point of its older half goes, so that a long flight keeps its whole shape.
MAX_POINTS = 1000
OLDEST_S = 24 * 3600.0

# A kept point is seven whole numbers (28 bytes): time (0.1 s), latitude and longitude (1e-6 degrees), altitude (ft),
# on the ground, ground speed (0.1 kt), track (0.1 degrees).
STRIDE = 7
UNKNOWN = -(2**31)


class Point(NamedTuple):
    """A position of a trail: unix seconds, degrees, feet, knots; None where unknown."""

    at: float
    lat: float
    lon: float
    altitude_ft: int | None
    on_ground: bool
    gs_kt: float | None
    track_deg: float | None


class SavedFlight(msgspec.Struct, array_like=True):
    """The trail of one flight for a restart."""

    address: str
    callsign: bytes
    landed: bool
    points: bytes


class SavedTrails(msgspec.Struct, array_like=True):
    """All trails; ``base`` is the unix time from which the points count."""

    form: int
    base: float
    flights: list[SavedFlight]


FORM = 1
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(SavedTrails)


class _Flight:
    __slots__ = ("callsign", "landed", "points")

    def __init__(self, callsign: bytes = b"", landed: bool = False, points: bytes = b"") -> None:
        self.callsign = callsign
        self.landed = landed
        self.points = array("i", points)

    def restart(self, callsign: bytes, landed: bool) -> None:
        self.callsign, self.landed, self.points = callsign, landed, array("i")

    def thin(self) -> None:
        half = len(self.points) // STRIDE // 2 * STRIDE
        older = np.array(self.points[:half], "i4").reshape(-1, STRIDE)[::2]
        self.points = array("i", older.tobytes()) + self.points[half:]

    def drop_before(self, tenths: int) -> None:
        times = self.points[::STRIDE]
        expired = int(np.searchsorted(np.array(times, "i4"), tenths))
        if expired:
            del self.points[: expired * STRIDE]


class TrailStore:
    """The trails of all aircraft in the sky; fed with every tick in order, read from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._base = 0.0
        self._flights: dict[str, _Flight] = {}
        self._sky: Sky | None = None
        self._last = _Last.none(0)

    def add(self, sky: Sky) -> None:
        """Take the positions of the next tick, or of a later one."""
        with self._lock:
            if not self._base:
                self._base = sky.now
            left, previous_row = sky.left, sky.columns["previous_row"]
            before = self._sky
            if before is None:
                previous_row = np.full(len(sky), -1, "i4")
            elif (sky.epoch, sky.seq) != (before.epoch, before.seq + 1):
                previous_row = np.array([before.index.get(address, -1) for address in sky.hexes], "i4")
                # At the start of an epoch an aircraft may not have been received again yet.
                left = tuple(before.index.keys() - sky.index.keys()) if sky.epoch == before.epoch else ()
            for address in left:
                self._flights.pop(address, None)
            last = self._last.moved(previous_row)
            self._begin_flights(sky, last)
            rows = np.flatnonzero(last.leaves(sky))
            self._keep(sky, rows)
            last.set(rows, sky)
            self._last, self._sky = last, sky

    def trail(self, address: str, since: float = 0.0) -> list[Point]:
        """The positions of the current flight after ``since`` (unix s), the present one last; an aircraft that is not
        in the sky has none."""
        with self._lock:
            sky, flight = self._sky, self._flights.get(address)
            packed = flight.points.tobytes() if flight is not None else b""
            base = self._base
        points = _unpack(packed, base, since)
        row = sky.index.get(address) if sky is not None else None
        if sky is not None and row is not None:
            present = _unpack(_pack(sky, np.array([row]), base).tobytes(), base)
            if not np.isnan(sky.columns["lat"][row]) and (not points or present[0].at > points[-1].at):
                points += present
        return points

    def beginning(self, address: str, count: int) -> list[Point]:
        """The first positions of the current flight that are kept, so many at most."""
        with self._lock:
            flight, base = self._flights.get(address), self._base
            packed = flight.points[: count * STRIDE].tobytes() if flight is not None else b""
        return _unpack(packed, base)

    def shift(self, step: float) -> None:
        """Move all times by ``step`` seconds: the clock has been set."""
        with self._lock:
            if self._base:
                self._base += step
            self._last.at += step

    def save(self) -> bytes:
        """All trails for ``restore``, uncompressed."""
        with self._lock:
            flights = [
                SavedFlight(address, flight.callsign, flight.landed, flight.points.tobytes())
                for address, flight in self._flights.items()
            ]
        return _encoder.encode(SavedTrails(FORM, self._base, flights))

    def restore(self, data: bytes, addresses: set[str]) -> None:
        """Take over the trails of these aircraft, before the first tick; raises ValueError where the data is none."""
        try:
            saved = _decoder.decode(data)
        except msgspec.MsgspecError as error:
            raise ValueError(f"not saved trails: {error}") from None
        if saved.form != FORM:
            raise ValueError(f"saved in form {saved.form}, expected {FORM}")
        with self._lock:
            self._base = saved.base
            self._flights = {
                flight.address: _Flight(flight.callsign, flight.landed, flight.points)
                for flight in saved.flights
                if flight.address in addresses and len(flight.points) % (4 * STRIDE) == 0
            }

    def _begin_flights(self, sky: Sky, last: _Last) -> None:
        """A callsign that changes after a landing is a new flight."""
        callsigns, on_ground = sky.columns["flight"], sky.columns["on_ground"]
        watched = (on_ground & ~last.landed) | (callsigns != last.callsign)
        for row in np.flatnonzero(watched).tolist():
            flight = self._flights.get(sky.hexes[row])
            if flight is None:
                continue
            callsign = bytes(callsigns[row])
            if callsign and flight.callsign and callsign != flight.callsign and flight.landed:
                flight.restart(callsign, bool(on_ground[row]))
                last.at[row] = -np.inf
            flight.callsign = callsign or flight.callsign
            flight.landed |= bool(on_ground[row])
            last.landed[row] = flight.landed
        last.callsign = callsigns

    def _keep(self, sky: Sky, rows: Array) -> None:
        packed = _pack(sky, rows, self._base)
        oldest = round((sky.now - OLDEST_S - self._base) * 10)
        callsigns, on_ground = sky.columns["flight"], sky.columns["on_ground"]
        for row, point in zip(rows.tolist(), packed, strict=True):
            flight = self._flights.get(sky.hexes[row])
            if flight is None:
                flight = _Flight(bytes(callsigns[row]), bool(on_ground[row]))
                self._flights[sky.hexes[row]] = flight
            points = flight.points
            # After a restart the first position may be one that was saved already.
            if points and points[-STRIDE] >= point[0]:
                continue
            points.frombytes(point.tobytes())
            if len(points) >= MAX_POINTS * STRIDE:
                flight.thin()
            if points[0] < oldest:
                flight.drop_before(oldest)


class _Last:
    """Columns of the last kept point of every aircraft in the sky; ``at`` is -inf where there is none.

    ``landed``: its flight is known to have been on the ground.
    """

    COLUMNS = ("lat", "lon", "alt_baro_ft", "gs_kt", "track_deg", "on_ground")

    def __init__(self, at: Array, callsign: Array, columns: dict[str, Array]) -> None:
        self.at = at
        self.callsign = callsign
        self.landed = np.zeros(len(at), "?")
        self.columns = columns

    @classmethod
    def none(cls, count: int) -> _Last:
        columns = {name: np.full(count, np.nan) for name in cls.COLUMNS}
        return cls(np.full(count, -np.inf), np.zeros(count, "S8"), columns)

    def moved(self, previous_row: Array) -> _Last:
        if len(previous_row) == len(self.at) and (previous_row == np.arange(len(self.at))).all():
            return self
        moved = _Last.none(len(previous_row))
        remaining = np.flatnonzero(previous_row >= 0)
        before = previous_row[remaining]
        moved.at[remaining] = self.at[before]
        moved.callsign[remaining] = self.callsign[before]
        moved.landed[remaining] = self.landed[before]
        for name, column in self.columns.items():
            moved.columns[name][remaining] = column[before]
        return moved

    def leaves(self, sky: Sky) -> Array:
        """Where the position of this tick is not what the last kept point leads to."""
        now = {name: sky.columns[name] for name in self.COLUMNS}
        before = self.columns
        with np.errstate(invalid="ignore"):
            elapsed_s = sky.columns["position_at"] - self.at
            guided = np.isfinite(before["gs_kt"]) & np.isfinite(before["track_deg"]) & np.isfinite(elapsed_s)
            run_nm = np.where(guided, before["gs_kt"] * elapsed_s / 3600, 0.0)
            track = np.radians(np.where(guided, before["track_deg"], 0.0))
            # A plane is near enough for the few miles between two points.
            north_nm = (now["lat"] - before["lat"]) * 60 - run_nm * np.cos(track)
            dlon = (now["lon"] - before["lon"] + 180) % 360 - 180
            east_nm = dlon * 60 * np.cos(np.radians(now["lat"])) - run_nm * np.sin(track)
            on_ground = now["on_ground"]
            tolerance_nm = np.where(on_ground, GROUND_TOLERANCE_NM, TOLERANCE_NM)
            tolerance_nm = np.where(guided | on_ground, tolerance_nm, UNGUIDED_TOLERANCE_NM)
            leaves = np.hypot(north_nm, east_nm) > tolerance_nm
            leaves |= np.abs(now["alt_baro_ft"] - before["alt_baro_ft"]) > TOLERANCE_FT
            leaves |= np.isnan(now["alt_baro_ft"]) != np.isnan(before["alt_baro_ft"])
            leaves |= on_ground != before["on_ground"]
            turned_deg = np.abs((now["track_deg"] - before["track_deg"] + 180) % 360 - 180)
            leaves |= (turned_deg >= TURN_DEG) & (elapsed_s >= TURN_S) & (now["gs_kt"] >= TURN_KT)
            # An aircraft that stands still needs no further points.
            leaves |= (elapsed_s >= MAX_GAP_S) & ~(on_ground & ~leaves)
            result: Array = leaves & (elapsed_s > 0) & ~np.isnan(now["lat"])
            return result

    def set(self, rows: Array, sky: Sky) -> None:
        self.at[rows] = sky.columns["position_at"][rows]
        for name, column in self.columns.items():
            column[rows] = sky.columns[name][rows]


def _pack(sky: Sky, rows: Array, base: float) -> Array:
    packed = np.empty((len(rows), STRIDE), "i4")
    columns = sky.columns
    scaled = (
        (columns["position_at"][rows] - base) * 10,
        columns["lat"][rows] * 1e6,
        columns["lon"][rows] * 1e6,
        columns["alt_baro_ft"][rows],
        columns["on_ground"][rows].astype("f8"),
        columns["gs_kt"][rows] * 10.0,
        columns["track_deg"][rows] * 10.0,
    )
    for index, values in enumerate(scaled):
        packed[:, index] = np.where(np.isnan(values), UNKNOWN, np.round(values))
    return packed


def _unpack(packed: bytes, base: float, since: float = 0.0) -> list[Point]:
    def scaled(value: int, scale: int) -> float | None:
        return None if value == UNKNOWN else value / scale

    values = array("i", packed)
    if since > base:
        values = values[bisect_left(values[::STRIDE], (since - base) * 10) * STRIDE :]
    return [
        Point(
            round(base + values[i] / 10, 1),
            values[i + 1] / 1e6,
            values[i + 2] / 1e6,
            None if values[i + 3] == UNKNOWN else values[i + 3],
            bool(values[i + 4]),
            scaled(values[i + 5], 10),
            scaled(values[i + 6], 10),
        )
        for i in range(0, len(values), STRIDE)
    ]
