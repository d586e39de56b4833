"""Turns ticks of the picture into flights and track points, in memory; ``writer`` writes them to the database.

``take`` runs in the tracker's thread and works on whole columns; ``collect`` and ``committed`` are the
writer's. A flight begins when an aircraft is first received, when it returns after ``history_flight_gap_s``, when it
takes off again after five minutes on the ground, when its callsign changes there after it has flown, after 24 h, and
when the clock was set back to before it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.core import geo
from skywatch.core.telemetry.metrics import boolean_label
from skywatch.history import metrics
from skywatch.history.recorder import observations
from skywatch.history.recorder.live_flights import Slots, merge
from skywatch.history.recorder.thinner import SAME_POSITION_S, THINNED_POINT, ThinnedPoints, Thinner
from skywatch.history.storage.points import GAP_S, MILITARY, POINT, Points
from skywatch.picture.positions.plausibility import is_flown
from skywatch.picture.state.sky import Sky

Column = npt.NDArray[Any]

MAX_FLIGHT_S = 24 * 3600.0
TURNAROUND_S = 300.0
# A position later than this comes from a wrong clock; it would make all following ones too old.
FUTURE_S = 10.0
# Limit of points in memory while the database is away: about 150 MB.
MAX_WAITING = 5_000_000


@dataclass
class Batch:
    """What goes from the recorder to the writer in one transaction.

    ``rows`` are copies of the slots' columns; ``new`` and ``existing`` index into them.
    """

    now: float
    points: ThinnedPoints
    ends: ThinnedPoints
    slots: Column
    rows: dict[str, Column]
    addresses: list[str]
    operators: list[str | None]
    new: Column = field(init=False)
    existing: Column = field(init=False)

    def __post_init__(self) -> None:
        self.new = np.flatnonzero(self.rows["id"] == 0)
        self.existing = np.flatnonzero(self.rows["id"] > 0)


class PendingPoints:
    """The points of the flights of ``slots`` that wait for the database, bounded: the oldest are dropped first."""

    def __init__(self, slots: Slots) -> None:
        # Those of a batch under way included.
        self.waiting = 0
        self.lost = 0
        self._slots = slots
        self._chunks: list[ThinnedPoints] = []

    def put(self, points: ThinnedPoints) -> None:
        """Add points, and drop the oldest beyond the limit."""
        if not len(points):
            return
        np.add.at(self._slots["points"], points["slot"], 1)
        _count_by_military(metrics.HISTORY_POINTS, self._slots, points["slot"])
        self._chunks.append(points)
        self.waiting += len(points)
        while self.waiting > MAX_WAITING and len(self._chunks) > 1:
            lost = len(self._chunks.pop(0))
            self.waiting -= lost
            self.lost += lost
            metrics.HISTORY_LOST.inc(lost)

    def take(self) -> ThinnedPoints:
        """All points, for a batch; they count as waiting until ``committed``."""
        points = np.concatenate(self._chunks) if self._chunks else np.empty(0, THINNED_POINT)
        self._chunks.clear()
        return points

    def committed(self, points: ThinnedPoints) -> None:
        """These points are in the database."""
        self.waiting -= len(points)


class Recorder:
    """Flights and tracks of all aircraft in the sky."""

    def __init__(self, error_m: float, altitude_error_ft: float, flight_gap_s: float) -> None:
        self.slots = Slots()
        self.thinner = Thinner(error_m, altitude_error_ft, len(self.slots))
        self.flight_gap_s = flight_gap_s
        self.now = 0.0
        self._lock = threading.Lock()
        self._pending = PendingPoints(self.slots)
        self._rows: Column = np.empty(0, np.int64)
        self._tick: tuple[str, int] = ("", -1)

    @property
    def waiting(self) -> int:
        """Points that are not committed yet."""
        return self._pending.waiting

    @property
    def lost(self) -> int:
        """Points that were dropped because too many waited."""
        return self._pending.lost

    def take(self, sky: Sky) -> None:
        """Process one tick."""
        with self._lock:
            if sky.now < self.now - FUTURE_S or not self.now:
                self._end_future_flights(sky.now)
            self.now = sky.now
            is_next = self._tick == (sky.epoch, sky.seq - 1)
            self._end_left(sky)
            rows = self._match(sky, is_next)
            self._split(sky, rows)
            self._rows, self._tick = rows, (sky.epoch, sky.seq)
            if len(rows):
                observations.describe(self.slots, sky, rows)
                observations.name_operators(self.slots, sky, rows, sky.column("airframe_changed") | (not is_next))
                observations.measure(self.slots, sky, rows)
                self._position(sky, rows)

    def _end_future_flights(self, now: float) -> None:
        """End flights last seen in the future: the clock was set back, perhaps while the service was down."""
        last_seen = self.slots["last_seen_at"]
        for slot in np.flatnonzero(self.slots["used"] & ~self.slots["ended"] & (last_seen > now + FUTURE_S)).tolist():
            self._end(slot)
        self._tick = ("", -1)

    def _match(self, sky: Sky, is_next: bool) -> Column:
        """The slot of every row of the sky; aircraft without a flight get one."""
        rows = np.full(len(sky), -1, np.int64)
        if is_next:
            before = sky.column("previous_row")
            rows[before >= 0] = self._rows[before[before >= 0]]
        last_seen, seen = self.slots["last_seen_at"], sky.column("seen_at")
        is_simulated = sky.column("simulated")
        for row in np.flatnonzero(rows < 0).tolist():
            address = sky.hexes[row]
            slot = self.slots.by_address.get(address)
            # A simulated aircraft and the real one of its address are two.
            is_other = slot is not None and self.slots["simulated"][slot] and not is_simulated[row]
            if slot is not None and (is_other or seen[row] - last_seen[slot] > self.flight_gap_s):
                self._end(slot)
                slot = None
            if slot is None:
                slot = self._begin(sky, row)
                last_seen = self.slots["last_seen_at"]
            rows[row] = slot
        return rows

    def _end_left(self, sky: Sky) -> None:
        """End the flights of simulated aircraft that have left: those of a simulator that was switched off."""
        if not self.slots["simulated"].any():
            return
        for address in sky.left:
            slot = self.slots.by_address.get(address)
            if slot is not None and self.slots["simulated"][slot]:
                self._end(slot)

    def _begin(self, sky: Sky, row: int) -> int:
        slot = self.slots.begin(sky.hexes[row])
        self.thinner.reserve(len(self.slots))
        for name in ("first_seen_at", "last_seen_at"):
            self.slots[name][slot] = sky.column("seen_at")[row]
        self.slots.operators[slot] = observations.operator_of(sky, row) or None
        metrics.HISTORY_FLIGHTS.labels(boolean_label(sky.column("military")[row])).inc()
        return slot

    def _end(self, slot: int) -> None:
        self._pending.put(self.thinner.finish(np.array([slot], "i4")))
        self.slots.end(slot)

    def _split(self, sky: Sky, rows: Column) -> None:
        """Begin new flights for aircraft whose flight is over although they stay in the sky."""
        slots, ground = self.slots, sky.column("on_ground")
        callsign = sky.column("flight")
        waited = sky.now - slots["ground_since"][rows]
        parked = slots["has_flown"][rows] & (waited >= TURNAROUND_S)
        renamed = (callsign != b"") & (slots["callsign"][rows] != b"") & (callsign != slots["callsign"][rows])
        over = (parked & ~ground) | (slots["has_flown"][rows] & ground & renamed)
        over |= sky.now - slots["first_seen_at"][rows] > MAX_FLIGHT_S
        for row in np.flatnonzero(over).tolist():
            old = int(rows[row])
            self._end(old)
            new = self._begin(sky, row)
            rows[row] = new
            for name in ("position_at", "picture_messages", "ground_since"):
                self.slots[name][new] = self.slots[name][old]

    def _position(self, sky: Sky, rows: Column) -> None:
        """New positions, to the thinner."""
        slots, at, lat = self.slots, sky.column("position_at"), sky.column("lat")
        fresh = (at > slots["position_at"][rows] + SAME_POSITION_S) & (at <= sky.now + FUTURE_S) & np.isfinite(lat)
        if not fresh.any():
            return
        slot, at, lat, lon = rows[fresh], at[fresh], lat[fresh], sky.column("lon")[fresh]
        waited = at - slots["position_at"][slot]
        moved = geo.distance_nm(slots["last_lat"][slot], slots["last_lon"][slot], lat, lon)
        slots["distance_nm"][slot] += np.where(is_flown(moved, waited) & (waited <= GAP_S), moved, 0.0)
        first = np.isnan(slots["first_lat"][slot])
        slots["first_lat"][slot[first]], slots["first_lon"][slot[first]] = lat[first], lon[first]
        slots["last_lat"][slot], slots["last_lon"][slot], slots["position_at"][slot] = lat, lon, at
        slots["positions"][slot] += 1
        _count_by_military(metrics.HISTORY_POSITIONS, slots, slot)
        alt, gs, track, ground, source = (
            sky.column(name)[fresh] for name in ("alt_baro_ft", "gs_kt", "track_deg", "on_ground", "position_source")
        )
        alt = np.where(ground, np.nan, alt.astype("f8"))
        self._pending.put(self.thinner.step(slot.astype("i4"), at, lat, lon, alt, gs, track, ground, source))

    def collect(self) -> Batch:
        """What is to be written now. Every batch must be followed by ``committed``."""
        with self._lock:
            slots = self.slots
            self._pending.put(self.thinner.finish(self.thinner.stale(self.now - GAP_S)))
            over = slots["used"] & ~slots["ended"] & (slots["last_seen_at"] < self.now - self.flight_gap_s)
            for slot in np.flatnonzero(over).tolist():
                self._end(slot)
            points = self._pending.take()
            slots_to_write = self.slots.to_write()
            rows = {name: column[slots_to_write].copy() for name, column in slots.columns.items()}
            # Flags are copied with the points now; reuse of a slot must not change them.
            batch = Batch(
                self.now,
                points,
                self.thinner.open_ends(),
                slots_to_write,
                rows,
                [slots.addresses[slot] for slot in slots_to_write.tolist()],
                [slots.operators[slot] for slot in slots_to_write.tolist()],
            )
            slots["dirty"][slots_to_write] = False
            return batch

    def committed(self, batch: Batch, ids: list[int]) -> None:
        """The batch is in the database; ``ids`` are the identifiers of its new flights."""
        with self._lock:
            self.slots["id"][batch.slots[batch.new]] = ids
            self.slots["written_at"][batch.slots] = batch.now
            self._pending.committed(batch.points)
            for slot in batch.slots[batch.rows["ended"]].tolist():
                self.slots.release(slot)

    def stored(self, thinned: ThinnedPoints, batch: Batch | None = None, ids: list[int] | None = None) -> Points:
        """Points as they are stored: with aircraft and flight instead of the slot."""
        flights = self.slots["id"].copy()
        if batch is not None and ids is not None:
            flights[batch.slots[batch.new]] = ids
        points = np.zeros(len(thinned), POINT)
        for name in THINNED_POINT.names or ():
            if name != "slot":
                points[name] = thinned[name]
        points["aircraft"], points["flight"] = self.slots["aircraft"][thinned["slot"]], flights[thinned["slot"]]
        return points

    def continues(self, address: str, last_seen_at: float, simulated: bool = False) -> bool:
        """Whether what was received of an aircraft since the start continues a flight last seen at ``last_seen_at``."""
        with self._lock:
            slot = self.slots.first_unwritten(address)
            if slot is None:
                return True
            is_same = bool(self.slots["simulated"][slot]) == simulated
            return is_same and bool(self.slots["first_seen_at"][slot] - last_seen_at <= self.flight_gap_s)

    def restore(self, address: str, values: dict[str, Any], operator: str | None, last: Points) -> None:
        """Continue a flight that was in the air when the service stopped; ``last`` is its last point, or none.

        Where the database was away at the start, the aircraft may have begun a new flight meanwhile: both become one.
        """
        with self._lock:
            slot = self.slots.first_unwritten(address)
            if slot is not None:
                merge(self.slots, slot, values, operator)
            else:
                slot = self.slots.begin(address)
                self.thinner.reserve(len(self.slots))
                for name, value in values.items():
                    self.slots[name][slot] = value
                self.slots.operators[slot] = operator
            if self.slots["military"][slot]:
                self.slots["aircraft"][slot] |= MILITARY
            if len(last) and not self.slots["position_at"][slot]:
                self.slots["position_at"][slot] = last["at"][0] * 0.01
                state = (last[name] for name in ("at", "lat", "lon", "alt", "flags"))
                self.thinner.resume(np.array([slot], "i4"), *state)


def _count_by_military(counter: Any, slots: Slots, slot: npt.NDArray[Any]) -> None:
    """Increment a counter by the flights of ``slot``, military ones under their own label."""
    military = int(np.count_nonzero(slots["military"][slot]))
    for is_military, count in ((False, len(slot) - military), (True, military)):
        counter.labels(boolean_label(is_military)).inc(count)
