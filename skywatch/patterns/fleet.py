"""Every aircraft in the sky: the cheap test for all, the detectors for the few that fail it.

Feed it each tick of the air picture. Most aircraft cost a share of a few vector operations; one that turns back on
itself, or flies slowly, gets a `PatternTracker`, which is given the last minutes of its way first so that the
beginning of the pattern is not lost, and is let go when it has flown straight for long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from skywatch.patterns.findings import PatternEvent
from skywatch.patterns.prefilter import Floats, MotionColumns, Rows
from skywatch.patterns.settings import PatternSettings
from skywatch.patterns.track.slots import SlotTable
from skywatch.patterns.tracker import PatternTracker

_UNITS_A_DEGREE = 1e7
"""Latitudes and longitudes are kept in whole units of a centimetre: up to seven decimals come back unchanged."""

_POSITION = np.dtype(
    [("t", "u4"), ("lat", "i4"), ("lon", "i4"), ("alt_ft", "f4"), ("speed_kt", "f2"), ("track_deg", "f2")]
)
"""Times are the last 32 bits of tenths of seconds; half precision says speeds and tracks to a quarter of their unit."""

_NOWHERE = np.iinfo("i4").min

Found = tuple[str, PatternEvent]


class _History:
    """The last positions of each slot, as rings.

    It is the largest table of the detectors: 20 bytes a position.
    """

    def __init__(self, slots: int, steps: int) -> None:
        self._rings = np.zeros((slots, steps), _POSITION)
        self._rings["lat"] = _NOWHERE

    def grow(self, more: int) -> None:
        added = _History(more, self._rings.shape[1])
        self._rings = np.concatenate((self._rings, added._rings))

    def forget(self, slot: int) -> None:
        self._rings["lat"][slot] = _NOWHERE

    def put(self, slots: Rows, steps: Rows, columns: Sequence[Floats]) -> None:
        t, lat, lon, *air = columns
        self._rings["t"][slots, steps] = np.rint(t * 10).astype("i8").astype("u4")
        self._rings["lat"][slots, steps] = np.rint(lat * _UNITS_A_DEGREE)
        self._rings["lon"][slots, steps] = np.rint(lon * _UNITS_A_DEGREE)
        for name, column in zip(("alt_ft", "speed_kt", "track_deg"), air, strict=True):
            self._rings[name][slots, steps] = column

    def positions(self, slot: int, first: int, now: float) -> list[list[float]]:
        """Those of a slot, the oldest first: t, lat, lon, alt_ft, speed_kt, track_deg, NaN where unknown."""
        ring = np.roll(self._rings[slot], -first)
        ring = ring[ring["lat"] != _NOWHERE]
        tenths = round(now * 10)
        t = (tenths - (np.uint32(tenths & 0xFFFFFFFF) - ring["t"]).astype("i8")) / 10
        places = (ring[name] / _UNITS_A_DEGREE for name in ("lat", "lon"))
        air = (ring[name].astype("f8") for name in ("alt_ft", "speed_kt", "track_deg"))
        listed: list[list[float]] = np.column_stack((t, *places, *air)).tolist()
        return listed


class PatternFleet:
    """Pattern detection over the columns of the air picture."""

    def __init__(
        self,
        settings: PatternSettings | None = None,
        name_flight: Callable[[str, float], str] | None = None,
        capacity: int = 256,
    ) -> None:
        """Begin with an empty sky.

        `name_flight` gives the flight id of an address when it is first watched, at a unix time; without it that is
        the address and the time. Patterns of an aircraft are numbered on for as long as it stays in the picture.
        """
        s = self._s = settings or PatternSettings()
        self._name_flight = name_flight or (lambda address, now: f"{address}-{now:.0f}")
        self._slots = SlotTable(capacity)
        self._motion = MotionColumns(s, capacity)
        self._history = _History(capacity, s.first_test.history_steps)
        self._history_at = np.zeros(capacity, dtype=np.intp)
        self._watch_until = np.full(capacity, -np.inf)
        self._fed_t = np.full(capacity, -np.inf)
        self._trackers: dict[int, PatternTracker] = {}
        self._flights: dict[int, tuple[str, int]] = {}
        self._away: list[tuple[float, str]] = []
        """A heap of those watched who left: when they were last fed, and their address."""
        self._now = -np.inf

    @property
    def watched(self) -> int:
        """Number of aircraft that the detectors look at."""
        return len(self._trackers)

    def update(
        self,
        addresses: Sequence[str],
        t: Floats,
        lat: Floats,
        lon: Floats,
        alt_ft: Floats,
        speed_kt: Floats,
        track_deg: Floats,
        on_ground: NDArray[np.bool_] | None = None,
        previous_row: NDArray[np.integer] | None = None,
    ) -> list[Found]:
        """Take a tick and return what changed, as pairs of address and event.

        All arrays have one element for each address; `t` is the unix time of the position, and unknown values are
        NaN. `previous_row` says which element of the last call an aircraft was, -1 where it is new; without it
        addresses are looked up one by one. Call `leave` each tick for those that went.
        """
        slots = self._slots.follow(addresses, previous_row)
        if self._slots.capacity > self._motion.capacity:
            self._grow(self._slots.capacity)
        if on_ground is None:
            on_ground = np.zeros(len(slots), dtype=np.bool_)
        self._now = float(np.fmax.reduce(t, initial=self._now))
        columns = (t, lat, lon, alt_ft, speed_kt, track_deg)
        due, suspect = self._motion.step(slots, t, lat, lon, speed_kt, on_ground)
        self._remember(slots, due, columns)
        changes: list[Found] = []
        for index in due[suspect].tolist():
            slot = int(slots[index])
            self._watch_until[slot] = t[index] + self._s.first_test.watch_s
            if slot not in self._trackers:
                changes += [(addresses[index], event) for event in self._wake(slot, addresses[index], float(t[index]))]
        # Those watched are fed as often as they take positions; whoever was woken just now has this one already.
        fed_t = self._fed_t[slots]
        feed = np.flatnonzero(
            (self._watch_until[slots] > -np.inf) & (t - fed_t >= self._s.trusted_position.min_s) & ~on_ground
        )
        positions = np.stack([column[feed] for column in columns], axis=1).tolist()
        for index, slot, position in zip(feed.tolist(), slots[feed].tolist(), positions, strict=True):
            changes += [(addresses[index], event) for event in self._feed(slot, position)]
        return changes

    def leave(self, addresses: Sequence[str] = ()) -> list[Found]:
        """Record the aircraft that left the picture; return the ends of patterns of those that did not return.

        Reception has gaps: an aircraft that returns within `trail_break_s` is continued. Call this each tick, also
        without addresses, so that those that do not return are forgotten.
        """
        for address in addresses:
            slot = self._slots.find(address)
            if slot in self._trackers:
                heappush(self._away, (float(self._fed_t[slot]), address))
            elif slot is not None:
                self._forget(address, slot)
        changes: list[Found] = []
        while self._away and self._now - self._away[0][0] > self._s.trusted_position.break_s:
            left_t, address = heappop(self._away)
            slot = self._slots.find(address)
            # An aircraft that came back was fed again.
            if slot in self._trackers and self._fed_t[slot] <= left_t:
                changes += self._end(address, slot)
        return changes

    def close(self) -> list[Found]:
        """End everything, as when the service stops; return the events."""
        changes: list[Found] = []
        for address in self._slots.addresses:
            slot = self._slots.find(address)
            if slot is not None:
                changes += self._end(address, slot)
        self._away.clear()
        return changes

    def _end(self, address: str, slot: int) -> list[Found]:
        tracker = self._trackers.get(slot)
        events = [] if tracker is None else [(address, event) for event in tracker.close()]
        self._forget(address, slot)
        return events

    def _forget(self, address: str, slot: int) -> None:
        self._slots.release(address)
        self._trackers.pop(slot, None)
        self._flights.pop(slot, None)
        if slot < self._motion.capacity:
            self._motion.reset(np.array([slot], dtype=np.intp))
            self._history.forget(slot)
            self._watch_until[slot] = self._fed_t[slot] = -np.inf

    def _grow(self, capacity: int) -> None:
        more = capacity - self._motion.capacity
        self._motion.grow(capacity)
        self._history.grow(more)
        self._history_at = np.concatenate([self._history_at, np.zeros(more, dtype=np.intp)])
        self._watch_until = np.concatenate([self._watch_until, np.full(more, -np.inf)])
        self._fed_t = np.concatenate([self._fed_t, np.full(more, -np.inf)])

    def _remember(self, slots: Rows, due: Rows, columns: tuple[Floats, ...]) -> None:
        """Keep the position of each due aircraft in its ring."""
        at = slots[due]
        steps = self._history_at[at]
        self._history.put(at, steps, [column[due] for column in columns])
        self._history_at[at] = (steps + 1) % self._s.first_test.history_steps

    def _wake(self, slot: int, address: str, now: float) -> list[PatternEvent]:
        """Begin to watch an aircraft; what its history shows is found now, not when it happened."""
        flight_id, number = self._flights.get(slot) or (self._name_flight(address, now), 1)
        self._flights[slot] = (flight_id, number)
        tracker = self._trackers[slot] = PatternTracker(flight_id, address, self._s, number)
        self._fed_t[slot] = now
        events: list[PatternEvent] = []
        for position in self._history.positions(slot, int(self._history_at[slot]), now):
            events += tracker.feed(*_optional(position))
        for finding in tracker.open:
            finding.detected_at = now
        return [replace(e, pattern=replace(e.pattern, detected_at=now)) for e in events]

    def _feed(self, slot: int, position: list[float]) -> list[PatternEvent]:
        tracker = self._trackers[slot]
        now = self._fed_t[slot] = position[0]
        events = tracker.feed(*_optional(position))
        if now > self._watch_until[slot] and not tracker.open:
            self._watch_until[slot] = -np.inf
            self._flights[slot] = (self._flights[slot][0], tracker.next_number)
            del self._trackers[slot]
        return events


def _optional(position: list[float]) -> tuple[float, float, float, float | None, float | None, float | None]:
    """Return a position as a tracker takes it, None for NaN."""
    t, lat, lon, alt, speed, track = position
    return (
        t,
        lat,
        lon,
        None if alt != alt else alt,
        None if speed != speed else speed,
        None if track != track else track,
    )
