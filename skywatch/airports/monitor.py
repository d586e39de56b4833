"""Finds movements in the live picture: what flies low is sampled at each tick, and judged once it can be told.

The tick works on columns alone and keeps five minutes of each low aircraft; a thread judges their tracks
(``movements``), whenever its aircraft has left or reached the ground, turned from a descent to a climb, or is silent.
"""

from __future__ import annotations

import math
import queue
import re
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy.orm import Session

from skywatch.airframes.helicopters import HELICOPTER_TYPES
from skywatch.airports.corrections import store_corrections
from skywatch.airports.directory import Column
from skywatch.airports.lines import Lines, lines
from skywatch.airports.models import Movement
from skywatch.airports.movements import SILENT_S, Nature, judge
from skywatch.airports.pressure import QNH_BELOW_FT, LocalPressure, Track
from skywatch.airports.storage import Aircraft, Observed, messages, write
from skywatch.core import events
from skywatch.core.hooks import stored_flights
from skywatch.core.process.periodic import PeriodicTask
from skywatch.core.runtime import Runtime
from skywatch.core.storage.queue import WriteQueue
from skywatch.core.storage.writer import BackgroundWriter
from skywatch.picture.counted import counts_simulated
from skywatch.picture.state.doubt import ALTITUDE, POSITION, doubt_of
from skywatch.picture.state.sky import Sky

# Five minutes near the ground, more above.
SAMPLES = 96
EVERY_S, HIGH_EVERY_S = 3.0, 9.0
# So far below the ceiling of its place (ft) an aircraft is looked at often.
HIGH_FT = 3_400.0
# No airport lies higher than 15,000 ft, pressure and the ceiling included.
HIGHEST_FT = 20_500.0
ROLL_KT = 30.0
TURN_FT, RISE_FT = 300.0, 500.0
# How long after an event the track is judged: a landing may become a touch-and-go, a climb shows the runway.
LANDED_S, LIFTED_S, RISEN_S = 62.0, 45.0, 25.0
# A movement so soon after the one before is the same one, judged again.
SAME_S = 50.0
# Hours of movements of a busy region while the database is away.
QUEUE_LIMIT = 20_000
JUDGE_EVERY_S = 1.0
# The directory is read some seconds after the start, which it would delay.
READ_AFTER_S = 4.0
_QNH = re.compile(rb'"nav_qnh":([0-9.]+)')
_NUMBERS = (("alt", "alt_baro_ft"), ("geom", "alt_geom_ft"), ("gs", "gs_kt"), ("course", "track_deg"))
_TEXTS = {
    "flight": "S8", "registration": "S12", "type": "S4", "category": "S2", "origin": "S4", "destination": "S4",
}  # fmt: skip


class _Pass(NamedTuple):
    """What was sampled of an aircraft until ``now``, as it lies in memory, to be judged."""

    hex: str
    now: float
    samples: int
    at: Column
    places: Column
    values: dict[str, Column]
    ground: Column
    qnh: float
    texts: dict[str, bytes]
    military: bool
    simulated: bool
    is_silent: bool

    @property
    def track(self) -> Track:
        """The samples in order."""
        order = np.arange(self.samples - min(self.samples, SAMPLES), self.samples) % SAMPLES
        lat, lon = (self.places[order, axis] / 1e6 for axis in (0, 1))
        alt, geom, gs, course = (self.values[name][order].astype("f8") for name, _ in _NUMBERS)
        since_now = (self.at[order] - _tenths(self.now)).view("i4")
        at, qnh = (np.rint(self.now * 10) + since_now) / 10, np.full(len(order), self.qnh)
        return Track(at, lat, lon, alt, geom, qnh, gs, course, self.ground[order])


class LowTraffic:
    """The recent past of all aircraft that are low near airports; bounded by how many these are."""

    def __init__(self, ground: Lines) -> None:
        self._lines = ground
        self._slots: dict[str, int] = {}
        self._free: list[int] = []
        self._slot_of_row = np.empty(0, "i4")
        self._size = 0
        # The last 32 bits of tenths of seconds: within seven years of now, wherever the clock is set. Millionths of
        # degrees; of the rest half precision says enough: 4 ft.
        self._at = np.empty((0, SAMPLES), "u4")
        self._places = np.empty((0, SAMPLES, 2), "i4")
        self._values = {name: np.empty((0, SAMPLES), "f2") for name, _ in _NUMBERS}
        self._ground = np.empty((0, SAMPLES), "?")
        self._texts = {name: np.empty(0, dtype) for name, dtype in _TEXTS.items()}
        self._flags = {name: np.empty(0, "?") for name in ("military", "simulated", "was_ground", "is_rising")}
        self._figures = {name: np.empty(0) for name in ("last", "due", "turn", "qnh")}
        self._count = np.empty(0, "i4")
        self._hexes: list[str] = []

    def take(self, sky: Sky) -> list[_Pass]:
        """Sample the aircraft of a tick; the tracks that are to be judged now."""
        columns = sky.columns
        slots = self._carried(sky)
        alt, ground, gs = columns["alt_baro_ft"], columns["on_ground"], columns["gs_kt"]
        with np.errstate(invalid="ignore"):
            chosen = (alt < HIGHEST_FT) | (ground & ((gs >= ROLL_KT) | (slots >= 0)))
        rows = np.flatnonzero(chosen & ~np.isnan(columns["lat"]))
        rows = self._due(sky, rows, slots)
        if len(rows):
            self._sample(sky, rows, self._slots_of(sky, rows, slots))
        return self._passes(sky.now)

    def _carried(self, sky: Sky) -> Column:
        """The slot of each row, -1 where it has none."""
        previous = sky.columns["previous_row"]
        before = self._slot_of_row
        if len(before) == len(previous) and (previous == np.arange(len(previous))).all():
            return before
        slots = np.full(len(sky), -1, "i4")
        if len(before):
            stays = (previous >= 0) & (previous < len(before))
            slots[stays] = before[previous[stays]]
        for row in np.flatnonzero(previous < 0).tolist() if self._slots else ():
            slots[row] = self._slots.get(sky.hexes[row], -1)
        self._slot_of_row = slots
        return slots

    def _due(self, sky: Sky, rows: Column, slots: Column) -> Column:
        """Those that are below the ceiling of their place and were not looked at for a while."""
        columns = sky.columns
        alt, ground, at = columns["alt_baro_ft"][rows], columns["on_ground"][rows], columns["position_at"][rows]
        own = slots[rows]
        has = own >= 0
        last = np.where(has, self._figures["last"][own] if self._size else 0.0, -np.inf)
        late = at - last >= EVERY_S
        rows, alt, ground, at, last, own, has = (each[late] for each in (rows, alt, ground, at, last, own, has))
        ceiling = self._lines.ceiling_ft(columns["lat"][rows], columns["lon"][rows])
        was_ground = np.where(has, self._flags["was_ground"][own] if self._size else False, True)
        with np.errstate(invalid="ignore"):
            is_low = alt < ceiling
            is_due = is_low & ((at - last >= HIGH_EVERY_S) | (alt < ceiling - HIGH_FT))
            rolls = ground & (ceiling > 0) & ((columns["gs_kt"][rows] >= ROLL_KT) | ~was_ground)
        is_due = (is_due & ~ground) | rolls
        doubt = doubt_of(sky)
        if doubt is not None:
            is_due &= (doubt[rows] & (POSITION | ALTITUDE)) == 0
        # Vehicles and obstacles are none.
        categories = np.ascontiguousarray(columns["category"][rows], "S2").view("u1")[::2]
        due: Column = rows[is_due & (categories != ord("C"))]
        return due

    def _slots_of(self, sky: Sky, rows: Column, slots: Column) -> Column:
        for row in rows[slots[rows] < 0].tolist():
            if not self._free:
                self._grow()
            slot = self._free.pop()
            address = sky.hexes[row]
            self._slots[address] = slots[row] = slot
            self._hexes[slot] = address
            self._count[slot] = 0
            for text in self._texts.values():
                text[slot] = b""
            self._flags["was_ground"][slot] = bool(sky.columns["on_ground"][row])
            self._flags["is_rising"][slot] = False
            self._figures["due"][slot], self._figures["qnh"][slot] = np.inf, np.nan
            self._figures["turn"][slot] = sky.columns["alt_baro_ft"][row]
        return slots[rows]

    def _grow(self) -> None:
        # A quarter: two kilobytes each.
        more = max(64, self._size // 4)
        self._free += range(self._size, self._size + more)
        self._size += more

        def longer(column: Column) -> Column:
            return np.concatenate([column, np.zeros((more, *column.shape[1:]), column.dtype)])

        self._at, self._ground, self._count = longer(self._at), longer(self._ground), longer(self._count)
        self._places = longer(self._places)
        for table in (self._values, self._texts, self._flags, self._figures):
            for name in table:
                table[name] = longer(table[name])
        self._hexes += [""] * more

    def _sample(self, sky: Sky, rows: Column, slots: Column) -> None:
        columns = sky.columns
        at, ground, alt = columns["position_at"][rows], columns["on_ground"][rows], columns["alt_baro_ft"][rows]
        place = self._count[slots] % SAMPLES
        self._at[slots, place], self._ground[slots, place] = _tenths(at), ground
        self._places[slots, place, 0] = np.rint(columns["lat"][rows] * 1e6)
        self._places[slots, place, 1] = np.rint(columns["lon"][rows] * 1e6)
        for name, column in _NUMBERS:
            self._values[name][slots, place] = columns[column][rows]
        # Names seldom change.
        some = self._count[slots] % 4 == 0
        for name in _TEXTS:
            values, named = columns[name][rows[some]], slots[some]
            known = values != b""
            self._texts[name][named[known]] = values[known]
        for name in ("military", "simulated"):
            self._flags[name][slots] = columns[name][rows]
        self._read_pressures(sky, rows, slots)
        self._count[slots] += 1
        self._figures["last"][slots] = at
        self._note_turns(slots, at, alt, ground)

    def _read_pressures(self, sky: Sky, rows: Column, slots: Column) -> None:
        """The pressure that crews have set, of some at each tick: it stands in the JSON of the aircraft alone."""
        with np.errstate(invalid="ignore"):
            asked = (self._count[slots] % 8 == 1) & (sky.columns["alt_baro_ft"][rows] < QNH_BELOW_FT)
        for row, slot in zip(rows[asked].tolist(), slots[asked].tolist(), strict=True):
            found = _QNH.search(sky.encoded[row])
            if found is not None:
                self._figures["qnh"][slot] = float(found[1])

    def _note_turns(self, slots: Column, at: Column, alt: Column, ground: Column) -> None:
        """Set when tracks are to be judged."""
        due, turn, rising = self._figures["due"], self._figures["turn"], self._flags["is_rising"]
        was_ground = self._flags["was_ground"][slots]
        due[slots[ground & ~was_ground]] = at[ground & ~was_ground] + LANDED_S
        lifted = ~ground & was_ground
        due[slots[lifted]] = at[lifted] + LIFTED_S
        rising[slots[lifted]], turn[slots[lifted]] = False, alt[lifted]
        with np.errstate(invalid="ignore"):
            air = ~ground & ~np.isnan(alt)
            is_rising = rising[slots]
            turn[slots] = np.where(
                air, np.where(is_rising, np.fmax(turn[slots], alt), np.fmin(turn[slots], alt)), turn[slots]
            )
            rose = air & ~is_rising & (alt >= turn[slots] + RISE_FT)
            fell = air & is_rising & (alt <= turn[slots] - TURN_FT)
        due[slots[rose]] = at[rose] + RISEN_S
        turn[slots[rose | fell]] = alt[rose | fell]
        rising[slots[rose]], rising[slots[fell]] = True, False
        self._flags["was_ground"][slots] = ground

    def _passes(self, now: float) -> list[_Pass]:
        """The tracks that are due, and those of aircraft that are silent, which are forgotten."""
        if not self._slots:
            return []
        used = self._count > 0
        is_silent = used & (self._figures["last"] < now - SILENT_S - 1.0)
        is_due = used & (self._figures["due"] <= now)
        passes = [self._pass(slot, now, is_silent=False) for slot in np.flatnonzero(is_due & ~is_silent).tolist()]
        self._figures["due"][is_due] = np.inf
        silent = np.flatnonzero(is_silent)
        for slot in silent.tolist():
            if self._count[slot] > 2:
                passes.append(self._pass(slot, now, is_silent=True))
            self._count[slot] = 0
            self._figures["due"][slot] = np.inf
            del self._slots[self._hexes[slot]]
            self._free.append(slot)
        if len(silent):
            self._slot_of_row[np.isin(self._slot_of_row, silent)] = -1
        return passes

    def _pass(self, slot: int, now: float, *, is_silent: bool) -> _Pass:
        return _Pass(
            self._hexes[slot],
            now,
            int(self._count[slot]),
            self._at[slot].copy(),
            self._places[slot].copy(),
            {name: column[slot].copy() for name, column in self._values.items()},
            self._ground[slot].copy(),
            float(self._figures["qnh"][slot]),
            {name: bytes(column[slot]) for name, column in self._texts.items()},
            bool(self._flags["military"][slot]),
            bool(self._flags["simulated"][slot]),
            is_silent,
        )


class AirportMonitor:
    """See ``skywatch.picture.monitor.Monitor``."""

    name = "airports"

    def __init__(self, runtime: Runtime) -> None:
        self._low: LowTraffic | None = None
        self._passes: queue.SimpleQueue[_Pass] = queue.SimpleQueue()
        self._judge = Judge()
        self._queue: WriteQueue[Observed] = WriteQueue(QUEUE_LIMIT)
        self._flights = stored_flights(runtime.features)
        self._writer: BackgroundWriter[Observed, list[Movement]] = BackgroundWriter(
            "airports", runtime.sessions, self._queue, self._write
        )
        self._task = PeriodicTask("airports_movements", JUDGE_EVERY_S, self._work)

    def start(self) -> None:
        """Start; the directory of airports is read in the background."""
        self._writer.start()
        self._task.start(READ_AFTER_S)

    def on_tick(self, sky: Sky) -> None:
        """Sample what is low."""
        if self._low is not None:
            for each in self._low.take(sky):
                self._passes.put(each)

    def close(self) -> None:
        """Judge what waits, and write it."""
        self._task.close()
        if self._low is not None:
            self._work()
        self._writer.close()

    def _work(self) -> None:
        if self._low is None:
            self._low = LowTraffic(lines())
        while not self._passes.empty():
            self._queue.append(self._judge.observed(self._passes.get()))

    def _write(self, session: Session, entries: list[Observed]) -> list[Movement]:
        new = write(session, entries, self._flights)
        store_corrections(session, self._judge.pressure.take_learnt())
        shows_simulated = bool(new) and counts_simulated(session)
        for movement in new:
            if movement.simulated and not shows_simulated:
                continue
            # Whoever missed one finds it on the board.
            events.publish(session, *messages(movement), stored=False)
        return new


class Judge:
    """Judges tracks in their order, and tells each movement once."""

    def __init__(self) -> None:
        self.pressure = LocalPressure()
        # Address -> when its last movement was.
        self._told: dict[str, float] = {}

    def observed(self, each: _Pass) -> list[Observed]:
        """The movements of a track that were not told yet, and its approaches where it has ended."""
        track, ground = each.track, lines()
        course = track.course
        if np.isnan(course).any():
            track = track._replace(course=np.where(np.isnan(course), courses(track), course))
        if np.isnan(track.alt).all():
            return []
        texts = each.texts
        category, kind = texts["category"], texts["type"]
        nature = Nature(is_helicopter(category, kind), category in (b"A3", b"A4", b"A5"))
        judged = judge(track, self.pressure.heights(track, ground), ground, nature, is_silent=each.is_silent)
        aircraft = Aircraft(
            each.hex.upper(),
            _text(texts["flight"]),
            _text(texts["registration"]),
            _text(kind),
            each.military,
            each.simulated,
            _text(texts["origin"]),
            _text(texts["destination"]),
        )
        told = self._told.get(each.hex, -math.inf)
        result = []
        for movement in judged.movements:
            if movement.at > told + SAME_S:
                self._told[each.hex] = movement.at
                ident = ground.airports.ident(movement.airport)
                result.append(Observed(aircraft, ident, movement.at, movement.kind, movement.runway, movement.sure))
        fresh = [approach for approach in judged.approaches if approach.at > told + SAME_S]
        result += [Observed(aircraft, ground.airports.ident(a.airport), a.at, is_seen=a.is_seen) for a in fresh]
        if len(self._told) > QUEUE_LIMIT:
            self._told = dict(sorted(self._told.items(), key=lambda item: item[1])[QUEUE_LIMIT // 2 :])
        return result


def is_helicopter(category: bytes, kind: bytes) -> bool:
    """Whether an aircraft is a helicopter, by emitter category or type."""
    return category == b"A7" or kind in HELICOPTER_TYPES


def _text(value: bytes) -> str | None:
    return value.decode("ascii", "ignore").strip() or None


def _tenths(at: Any) -> Any:
    """The last 32 bits of times in tenths of seconds."""
    return np.rint(np.multiply(at, 10)).astype("i8").astype("u4")


def courses(track: Track) -> Any:
    """The courses from position to position."""
    north = np.gradient(track.lat) if len(track.lat) > 1 else np.zeros(1)
    east = np.gradient(track.lon) if len(track.lon) > 1 else np.zeros(1)
    return np.degrees(np.arctan2(east * np.cos(np.radians(track.lat)), north)) % 360.0


def create(runtime: Runtime) -> AirportMonitor:
    """The monitor of this installation."""
    return AirportMonitor(runtime)
