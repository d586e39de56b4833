"""Drawn traffic, honest feeders and liars at several ingest processes, and which fields of the picture lie.

Every flight turns, climbs and changes its speed, so that each transmission differs from the one before. A value of the
picture is a lie unless the aircraft sent it at the time that the picture gives it.
"""

from __future__ import annotations

import dataclasses
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks._drawn_flights import HALF_S, Traffic, kind_of, lies
from skywatch.picture.intake import FeederIntake
from skywatch.picture.picture import Picture
from skywatch.picture.state.sky import Sky
from skywatch.receivers.feeder_streams.connection import FeederConnection
from skywatch.receivers.feeder_streams.feeder import KnownFeeder, hash_of
from skywatch.receivers.feeder_streams.hub import FeederHub
from skywatch.receivers.feeder_streams.installation import InstallationFeeders
from skywatch.receivers.feeder_streams.message_codec import FeederMessage, decode, encode
from skywatch.receivers.framing.frames import Column
from skywatch.receivers.mode_s.encoder import beast

START = 1_790_000_000.0
# The picture dates a transmission by its arrival, and what is no position by the last one of the second.
DATED_S, COARSELY_DATED_S = 1.0, 2.0
# Two honest feeders hear a field of which they heard the same transmission within this time (s).
HEARD_S = {"position": 15.0, "altitude": 15.0, "velocity": 15.0, "ground": 15.0, "flight": 180.0, "squawk": 180.0,
           "category": 600.0}  # fmt: skip
FIELDS = tuple(HEARD_S)
# The resolution of positions is 5 m, and that of what is shown half a metre; a track is shown in tenths of a degree.
PLACE_DEG, TRACK_DEG, SPEED_KT = 1.2e-4, 0.6, 0.6
# Two halves of a position this far apart give one (s); the decoder takes less.
PAIR_S = 8.0


@dataclasses.dataclass
class FeederSpec:
    """A feeder: the process it is connected to, the share of transmissions that it hears, and its kind of lies."""

    process: int
    hears: float = 0.7
    lies: str = ""
    trusted: bool = False
    owner: int | None = None
    network: str = ""
    # Half seconds in which it is connected, and from which on it lies.
    until: int = 1 << 30
    lies_from: int = 0


class _Loop:
    """Calls at once what a loop would call soon."""

    def call_soon_threadsafe(self, call: object, *arguments: object) -> None:
        """Call it."""
        if callable(call):
            call(*arguments)


class IngestProcess:
    """The hub of an ingest process whose feeders are connected without sockets."""

    def __init__(self, feeders: dict[int, FeederSpec], clock: Callable[[], float]) -> None:
        self.hub = FeederHub(loop=_Loop())  # type: ignore[arg-type]
        gatherer = self.gatherer = self.hub.gatherer
        gatherer.add = lambda stream: gatherer._waiting.__setitem__(stream.slot, stream)  # type: ignore[method-assign]
        self.connections: dict[int, FeederConnection] = {}
        gatherer.clock = clock
        for number, feeder in feeders.items():
            connection = self.connection(number, feeder, feeder.network or f"10.{number >> 8}.{number & 255}.1/32")
            if not self.hub.claim(connection):
                raise RuntimeError("a feeder is not let in")
            self.connections[number] = connection

    def connection(self, number: int, feeder: FeederSpec, network: str) -> FeederConnection:
        """A connection that uses the UUID of a feeder."""
        owner = number if feeder.owner is None else feeder.owner
        known = KnownFeeder(number, hash_of(str(number)), True, str(number), owner, feeder.trusted)
        connection = FeederConnection(known, ("10.0.0.1", 1), network, 100_000, Counter(), self.hub, lambda: None)
        connection.has_uuid = True
        return connection


class Runtime:
    """Only what ``InstallationFeeders`` takes of a runtime."""

    def __init__(self, hub: FeederHub) -> None:
        self._hub = hub

    def shared(self, kind: Any) -> FeederHub:
        """The hub of the tracker, which has no feeders of its own."""
        return self._hub


class LiarWorld:
    """Traffic, feeders and the picture; ``skies`` plays it, ``lies`` counts."""

    def __init__(self, traffic: Traffic, feeders: Sequence[FeederSpec], seed: int, bus: bool = True) -> None:
        self.traffic = traffic
        self.feeders = dict(enumerate(feeders, 1))
        self.now = START
        self.picture = Picture(clock=lambda: self.now, monotonic=lambda: self.now)
        self.intake = FeederIntake(self.picture, InstallationFeeders(Runtime(FeederHub())))
        self.processes = [
            IngestProcess({n: each for n, each in self.feeders.items() if each.process == process}, lambda: self.now)
            for process in range(1 + max(each.process for each in feeders))
        ]
        self.message_bytes = 0
        # Of each process, by half second: whether it stands still, and how far its clock is ahead (s).
        self.is_frozen: Callable[[int, int], bool] = lambda process, t: False
        self.clock_ahead_s: Callable[[int, int], float] = lambda process, t: 0.0
        self._bus = bus
        self._chance = random.Random(seed)
        self._sent: list[list[bytes]] = []
        # Half second of the last even and odd position of each flight that two honest feeders heard, [2, n].
        self._heard_twice = np.full((2, traffic.lat.shape[1]), -1)
        self._heard_at = {name: np.full(traffic.lat.shape[1], -np.inf) for name in FIELDS}
        self._has_pair = np.zeros(traffic.lat.shape[1], np.bool_)

    def skies(self, half_seconds: int) -> Iterator[tuple[int, Sky]]:
        """The picture of each second."""
        for t in range(half_seconds):
            self.now = START + t * HALF_S
            self._sent.append(self.traffic.frames(t))
            honest: Counter[bytes] = Counter()
            for index, process in enumerate(self.processes):
                for number, connection in process.connections.items():
                    sent = self._frames(number, self.feeders[number], t)
                    if not self.feeders[number].lies:
                        honest.update(sent)
                    connection.receive(b"".join(beast(frame, 0) for frame in sent))
                if not self.is_frozen(index, t):
                    process.gatherer.flush(self.now + self.clock_ahead_s(index, t))
            self._note_heard(t, honest)
            if t % 2:
                for index in range(len(self.processes)):
                    if not self.is_frozen(index, t):
                        self._take(index, t)
                self.intake.put_agreed()
                yield t, self.picture.tick()

    def is_heard(self, t: int) -> dict[str, Column]:
        """?[n]: the flights that two honest feeders hear, by field; of a position both halves."""
        heard = {name: (t - at) * HALF_S <= HEARD_S[name] for name, at in self._heard_at.items()}
        heard["position"] &= self._has_pair
        return heard

    def _note_heard(self, t: int, honest: Counter[bytes]) -> None:
        """Note what two honest feeders heard of this half second."""
        number = -1
        for frame in self._sent[t]:
            kind = kind_of(frame)
            number += kind == "position"
            if honest[frame] < 2:
                continue
            if kind == "position":
                self._heard_twice[t % 2, number] = t
            # The address of a reply is believed once another transmission has proved it.
            is_reply, proved_at = kind in ("identity", "altitude"), self._heard_at["velocity"][number]
            for name in HEARD_WITH[kind] if not is_reply or -np.inf < proved_at < t else ():
                self._heard_at[name][number] = t
        even, odd = self._heard_twice
        self._has_pair |= (even >= 0) & (odd >= 0) & (np.abs(even - odd) * HALF_S <= PAIR_S)

    def _take(self, index: int, t: int) -> None:
        reduction = self.processes[index].hub.reduce(self.now + self.clock_ahead_s(index, t))
        if not self._bus:
            self.intake.take(reduction)
            return
        data = encode(FeederMessage(f"process {index}", reduction, [], []))
        self.message_bytes += len(data)
        self.intake.take(decode(data).reduction, f"process {index}")

    def _frames(self, number: int, feeder: FeederSpec, t: int) -> list[bytes]:
        if t >= feeder.until:
            return []
        chance = self._chance
        if feeder.lies and t >= feeder.lies_from:
            kind, _, seconds = feeder.lies.partition(" ")
            if kind in ("replayed", "delayed"):
                late = t - round(float(seconds) / HALF_S)
                return [frame for frame in self._sent[late] if chance.random() < feeder.hears] if late >= 0 else []
            return list(lies(kind, self.traffic, number, t, chance))
        return [frame for frame in self._sent[t] if chance.random() < feeder.hears]


@dataclasses.dataclass
class Lies:
    """``looks`` at fields of aircraft that honest feeders hear, and ``wrong`` ones: half second, address, field."""

    traffic: Traffic
    looks: int = 0
    missing: int = 0
    wrong: list[tuple[int, int, str]] = dataclasses.field(default_factory=list)
    ages_s: list[float] = dataclasses.field(default_factory=list)
    _is_heard: dict[str, Column] = dataclasses.field(default_factory=dict)

    def look(self, t: int, sky: Sky, is_heard: dict[str, Column]) -> None:
        """Look at the fields of all flights that honest feeders hear: ?[n] by name."""
        traffic, self._is_heard = self.traffic, is_heard
        numbers = np.flatnonzero(np.logical_or.reduce(list(is_heard.values())))
        rows = np.array([sky.index.get(f"{traffic.address(number):06x}", -1) for number in numbers.tolist()])
        self.missing += int(np.count_nonzero(rows < 0))
        numbers, rows = numbers[rows >= 0], rows[rows >= 0]
        columns = {name: sky.column(name)[rows] for name in COLUMNS}
        position_at = columns["position_at"]
        has = ~np.isnan(columns["lat"])
        self.ages_s += (sky.now - position_at[has]).tolist()
        cos = np.cos(np.radians(traffic.lat[0, numbers]))
        self._check("position", t, numbers, has, position_at, lambda u: (
            (np.abs(columns["lat"] - traffic.lat[u, numbers]) < PLACE_DEG)
            & (np.abs(columns["lon"] - traffic.lon[u, numbers]) * cos < PLACE_DEG)))  # fmt: skip
        altitude = columns["alt_baro_ft"]
        self._check("altitude", t, numbers, ~np.isnan(altitude), columns["altitude_at"],
                    lambda u: altitude == traffic.altitude_ft[u, numbers])  # fmt: skip
        speed, track = columns["gs_kt"], columns["track_deg"]
        self._check("velocity", t, numbers, ~np.isnan(speed), columns["velocity_at"], lambda u: (
            (np.abs(speed - np.hypot(traffic.east_kt[u, numbers], traffic.north_kt[u, numbers])) < SPEED_KT)
            & (np.abs((track - tracks(traffic, u, numbers) + 180) % 360 - 180) < TRACK_DEG)))  # fmt: skip
        texts = {
            "flight": [traffic.callsign(number) for number in numbers.tolist()],
            "squawk": [f"{traffic.squawk(number):04o}" for number in numbers.tolist()],
            "category": ["A3"] * len(numbers),
        }
        for name, true in texts.items():
            shown = columns[name].astype(str)
            self._count(name, t, numbers, shown != "", shown == np.array(true))
        self._count("ground", t, numbers, has, ~columns["on_ground"])

    def _check(
        self, name: str, t: int, numbers: Column, has: Column, at: Column, is_true: Callable[[Column], Column]
    ) -> None:
        """Whether values are what was sent at their times."""
        middle = np.where(has, np.rint((at - START) / HALF_S), 0).astype(int)
        right = np.zeros(len(numbers), np.bool_)
        reach = math.ceil((DATED_S if name == "position" else COARSELY_DATED_S) / HALF_S)
        for step in range(-reach, reach + 1):
            right |= is_true(np.clip(middle + step, 0, t))
        self._count(name, t, numbers, has, right)

    def _count(self, name: str, t: int, numbers: Column, has: Column, right: Column) -> None:
        has = has & self._is_heard[name][numbers]
        self.looks += int(np.count_nonzero(has))
        self.wrong += [(t, number, name) for number in numbers[has & ~right].tolist()]


HEARD_WITH = {
    "position": ("position", "altitude", "ground"), "velocity": ("velocity",), "identification": ("flight", "category"),
    "identity": ("squawk",), "altitude": ("altitude",),
}  # fmt: skip
COLUMNS = ("lat", "lon", "position_at", "alt_baro_ft", "altitude_at", "gs_kt", "track_deg", "velocity_at", "flight",
           "squawk", "category", "on_ground")  # fmt: skip


def tracks(traffic: Traffic, u: Column, numbers: Column) -> Column:
    """Tracks (degrees) at half seconds ``u``."""
    result: Column = np.degrees(np.arctan2(traffic.east_kt[u, numbers], traffic.north_kt[u, numbers])) % 360
    return result
