"""kill -9 of one of three ingest processes at 500 feeders, over Redis and NATS: when feeders are back, what is missed.

``python -m tests.drills.ingest_loss [--bus redis|nats] [--regional]`` starts a tracker, an API and three ingest
processes on PostgreSQL, with simulated feeders that connect to the next process half a second after a loss, as a proxy
in front would have them do. Feeders are spread over the processes as a proxy spreads them; with ``--regional`` each
process has the feeders of a region of its own, so that most aircraft lose all their hearers at once. Each round kills a
process at another part of the second, and starts it again.
"""

from __future__ import annotations

import argparse
import multiprocessing
import signal
import socket
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks._feeders import HALF_S, World, make_world
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.feeders.models import Feeder
from skywatch.receivers.feeder_streams.feeder import hash_of
from tests.ports import free_port
from tests.processes import Service
from tests.servers import nats_prefix, postgresql_database, redis_prefix
from tests.waiting import PATIENCE_S, until

FEEDERS, AIRCRAFT, HEARERS, PROCESSES = 500, 900, 10, 3
# Each aircraft sends four frames and a fifth of a callsign a second.
FRAMES_OF_AIRCRAFT_S = 4.2
RECONNECT_S = 0.5
# Parts of the second at which processes are killed; reports leave at 0.9.
PHASES = (0.3, 0.6, 0.85)
WATCHED_S = 8.0
# Rounds of twenty seconds and the start take less, on a busy machine, too.
WORLD_S = 240
# Feeders send what they heard so often (s).
SEND_EVERY_S = 0.125
# The limits that the drill holds the service to.
MAX_BACK_S, MAX_GAP_S = 5.0, 2.0


@dataclass
class Loss:
    """What was measured of the loss of one process.

    ``back_s`` is when the last feeder was connected again, ``gap_s`` the longest time between two positions of an
    aircraft that the picture shows one after the other, ``usual_gap_s`` that before the loss, and ``lost`` counts
    aircraft that left the picture.
    """

    phase: float
    back_s: float
    gap_s: float
    usual_gap_s: float
    # The longest time between two ticks: where it is more than a second, the machine is too busy to judge the rest.
    ticks_s: float
    lost: int

    def __str__(self) -> str:
        return (
            f"killed at {self.phase:.2f} of a second: feeders back after {self.back_s:.1f} s, longest gap between"
            f" positions {self.gap_s:.2f} s ({self.usual_gap_s:.2f} s before), ticks at most {self.ticks_s:.2f} s"
            f" apart, aircraft lost {self.lost}"
        )


class Crowd:
    """The feeders, in a process of their own."""

    def __init__(self, digits: list[str], ports: list[int], world: World, is_regional: bool) -> None:
        context = multiprocessing.get_context("fork")
        self.connected, self._spread = context.Value("q", 0), context.Value("q", 0)
        self._process = context.Process(
            target=_send_forever, args=(digits, ports, world, is_regional, self.connected, self._spread), daemon=True
        )
        self._process.start()

    def spread(self) -> None:
        """Connect to the processes as at the start."""
        self._spread.value += 1

    def close(self) -> None:
        """Disconnect."""
        self._process.terminate()
        self._process.join()


def _send_forever(
    digits: list[str], ports: list[int], world: World, is_regional: bool, connected: Any, spread: Any
) -> None:
    crowd, done = _Sockets(digits, ports, is_regional), 0
    heard = [_heard_by(world, half_second) for half_second in range(len(world.frames))]
    slots = round(HALF_S / SEND_EVERY_S)
    began = time.monotonic()
    for turn in range(len(heard) * slots):
        if spread.value != done:
            done = spread.value
            crowd.disconnect()
        for number, frames in enumerate(heard[turn // slots]):
            first, last = turn % slots * len(frames) // slots, (turn % slots + 1) * len(frames) // slots
            crowd.send(number, b"".join(frames[first:last]))
        connected.value = crowd.connected
        time.sleep(max(0.0, began + (turn + 1) * SEND_EVERY_S - time.monotonic()))
    raise RuntimeError("the world has ended before the drill")


def _heard_by(world: World, half_second: int) -> list[list[bytes]]:
    """What each feeder hears in half a second."""
    frames = world.frames[half_second]
    numbers = [number for number, _ in frames]
    return [[frames[row][1] for row in row_of_feeder.nonzero()[0]] for row_of_feeder in world.hears[:, numbers]]


class _Sockets:
    """One connection for each feeder, each behind an address of its own."""

    def __init__(self, digits: list[str], ports: list[int], is_regional: bool) -> None:
        self._digits, self._ports = digits, ports
        count = len(digits)
        self._home = [n * len(ports) // count if is_regional else n % len(ports) for n in range(count)]
        self._sockets: list[socket.socket | None] = [None] * count
        self._due = [0.0] * count

    @property
    def connected(self) -> int:
        """The feeders that are connected."""
        return sum(connection is not None for connection in self._sockets)

    def disconnect(self) -> None:
        """Close all."""
        for connection in filter(None, self._sockets):
            connection.close()
        self._sockets = [None] * len(self._digits)

    def send(self, number: int, frames: bytes) -> None:
        """Send what a feeder heard, where it is connected."""
        if self._sockets[number] is None and time.monotonic() >= self._due[number]:
            self._sockets[number] = self._connect(number)
        connection = self._sockets[number]
        try:
            if connection is not None:
                connection.sendall(frames)
        except OSError:
            self._sockets[number], self._due[number] = None, time.monotonic() + RECONNECT_S

    def _connect(self, number: int) -> socket.socket | None:
        for further in range(len(self._ports)):
            # The feeders of a lost process are spread over the others.
            port = self._ports[(self._home[number] + further * (1 + number // len(self._ports) % 2)) % len(self._ports)]
            try:
                connection = socket.create_connection(("127.0.0.1", port), timeout=1)
                header = f"PROXY TCP4 10.{number >> 8}.{number & 255}.1 127.0.0.1 1 2\r\n".encode()
                connection.sendall(header + b"\x1a\xe4" + self._digits[number].encode() + b"ffff")
            except OSError:
                continue
            return connection
        return None


class Watcher:
    """Follows the positions in the picture."""

    def __init__(self, api: Service) -> None:
        self._api = api
        self._at: dict[str, float] = {}
        self.gap_s, self.ticks_s, self._now = 0.0, 0.0, 0.0

    def look(self) -> None:
        """Look at the picture; call it more than once a second."""
        picture = self._api.get("/api/v1/aircraft?limit=1000&fields=hex,seen_pos")
        if self._now:
            self.ticks_s = max(self.ticks_s, picture["now"] - self._now)
        self._now = picture["now"]
        for aircraft in picture["aircraft"]:
            if "seen_pos" not in aircraft:
                continue
            at, before = picture["now"] - aircraft["seen_pos"], self._at.get(aircraft["hex"])
            self._at[aircraft["hex"]] = at
            if before is not None and at - before > 0.01:
                self.gap_s = max(self.gap_s, at - before)
            # What has not come back yet counts, too.
            self.gap_s = max(self.gap_s, picture["now"] - 1.0 - at)

    def aircraft(self) -> int:
        """How many aircraft the picture shows."""
        return int(self._api.get("/api/v1/aircraft?limit=1")["count"])


def lose(services: list[Service], api: Service, crowd: Crowd, feeders: int, victim: int, phase: float) -> Loss:
    """Kill one process, wait until all is well, and start it again."""
    watcher = Watcher(api)
    aircraft = watcher.aircraft()
    until_s = time.monotonic() + 4.0
    while time.monotonic() < until_s:
        watcher.look()
        time.sleep(0.2)
    usual_gap_s, watcher.gap_s, watcher.ticks_s = watcher.gap_s, 0.0, 0.0
    time.sleep((phase - time.time()) % 1.0)
    services[victim].kill()
    killed_at, back_s, is_noticed, lost = time.monotonic(), 0.0, False, 0
    while time.monotonic() - killed_at < WATCHED_S:
        watcher.look()
        lost = max(lost, aircraft - watcher.aircraft())
        connected = crowd.connected.value
        is_noticed = is_noticed or connected < feeders
        if is_noticed and connected == feeders and not back_s:
            back_s = time.monotonic() - killed_at
        time.sleep(0.05)
    services[victim].start("--role", "ingest", wait=False)
    until(lambda: takes_feeders(services[victim].feeder_port), "the process that was started again")
    return Loss(phase, back_s or float("inf"), watcher.gap_s, usual_gap_s, watcher.ticks_s, lost)


def takes_feeders(port: int) -> bool:
    """Whether an ingest process listens there."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def register(database_url: str, digits: Sequence[str]) -> None:
    """Trusted feeders with these UUIDs."""
    engine = create_engine(database_url)
    with writing(create_session_factory(engine)) as session:
        for number, text in enumerate(digits):
            now = utcnow()
            session.add(
                Feeder(
                    name=f"Feeder {number}", name_key=f"feeder {number}", uuid_hash=hash_of(text), uuid_start=text[:8],
                    trusted=True, created_at=now, updated_at=now,
                )
            )  # fmt: skip
    engine.dispose()


@contextmanager
def installation(bus: str, database_url: str, feeders: int) -> Iterator[tuple[Service, list[Service], list[str]]]:
    """An API, ingest processes, and the UUIDs of feeders that they admit."""
    shared = {"secret": "x" * 40, "bus": bus, "database_url": database_url, "auth_mode": "public"}
    with ExitStack() as stack:
        services = []
        for _ in range(2 + PROCESSES):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            port = free_port()
            service = Service(folder, **shared, receiver__in=f"listen 127.0.0.1:{port} proxy=127.0.0.1")
            service.feeder_port = port  # type: ignore[attr-defined]
            services.append(service)
        tracker, api, *ingests = services
        tracker.init()
        digits = [uuid.uuid4().hex for _ in range(feeders)]
        register(database_url, digits)
        try:
            tracker.start("--role", "tracker", wait=False)
            api.start("--role", "api")
            for ingest in ingests:
                ingest.start("--role", "ingest", wait=False)
            for ingest in ingests:
                until(lambda ingest=ingest: takes_feeders(ingest.feeder_port), "the port of an ingest process")
            yield api, ingests, digits
        finally:
            for service in services:
                if service.process is not None and service.process.poll() is None:
                    service.process.send_signal(signal.SIGTERM)
            for service in services:
                if service.process is not None:
                    service.process.wait(PATIENCE_S)


def drill(bus: str, database_url: str, world: World, is_regional: bool, phases: Sequence[float]) -> list[Loss]:
    """Lose a process in each round."""
    feeders, aircraft = world.hears.shape
    with installation(bus, database_url, feeders) as (api, ingests, digits):
        crowd = Crowd(digits, [ingest.feeder_port for ingest in ingests], world, is_regional)  # type: ignore[attr-defined]
        watcher, losses = Watcher(api), []
        try:
            until(lambda: watcher.aircraft() >= aircraft, "all aircraft")
            for turn, phase in enumerate(phases):
                until(lambda: crowd.connected.value == feeders, "all feeders")
                time.sleep(4.0)
                losses.append(lose(ingests, api, crowd, feeders, turn % PROCESSES, phase))
                crowd.spread()
                time.sleep(2.0)
        finally:
            crowd.close()
    return losses


def main() -> int:
    """Print what was measured; 1 where a limit is not kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bus", choices=("redis", "nats"))
    parser.add_argument("--feeders", type=int, default=FEEDERS)
    parser.add_argument("--regional", action="store_true")
    options = parser.parse_args()
    frames_s = round(AIRCRAFT * HEARERS / options.feeders * FRAMES_OF_AIRCRAFT_S)
    world = make_world(options.feeders, HEARERS, frames_s, WORLD_S)
    is_kept = True
    for name, prefix in (("redis", redis_prefix), ("nats", nats_prefix)):
        if options.bus not in (None, name):
            continue
        print(f"{name}, {options.feeders} feeders, {world.hears.shape[1]} aircraft, {PROCESSES} ingest processes:")
        with prefix() as bus, postgresql_database() as database_url:
            for loss in drill(bus, database_url, world, options.regional, PHASES):
                print(f"  {loss}", flush=True)
                is_kept = is_kept and loss.back_s <= MAX_BACK_S and loss.gap_s <= MAX_GAP_S
    print("all limits are kept" if is_kept else f"NOT within {MAX_BACK_S:.0f} s and {MAX_GAP_S:.0f} s")
    return 0 if is_kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
