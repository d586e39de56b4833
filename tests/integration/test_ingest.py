"""Feeders at processes of the role ingest: one picture, which outlives the loss of a process."""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
import time
import uuid
from collections.abc import Iterator

import pytest

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.feeders.models import Feeder
from skywatch.receivers.feeder_streams.feeder import hash_of
from skywatch.receivers.mode_s.encoder import airborne_position, beast, squitter, velocity
from tests.ports import free_port
from tests.processes import Service
from tests.waiting import PATIENCE_S, until

FEEDERS, AIRCRAFT = 12, 20
# Readsb waits 5 s by the ready-made line; simulated feeders less.
RECONNECT_S = 0.5


def frames_of(aircraft: range, turn: int) -> bytes:
    """Position and velocity of some aircraft, as Beast."""
    return b"".join(
        beast(squitter(0x400000 + n, message), 0)
        for n in aircraft
        for message in (
            airborne_position(45.0 + n / 10 + turn * 0.0003, 8.0, turn % 2),
            velocity(0, 200 + turn % 2),
        )
    )


class World(threading.Thread):
    """Feeders that hear the same aircraft, each connected to the first port of its list that answers."""

    def __init__(self, digits: list[str], ports: list[int]) -> None:
        super().__init__(daemon=True)
        self.digits, self.ports, self.all_ports = digits, ports, list(ports)
        self.sockets: list[socket.socket | None] = [None] * len(digits)
        self.due = [0.0] * len(digits)
        self.is_over = False

    def run(self) -> None:
        turn = 0
        while not self.is_over:
            # The feeders of each process hear aircraft of their own.
            heard = [frames_of(range(first, AIRCRAFT, len(self.all_ports)), turn) for first in range(2)]
            for number in range(len(self.digits)):
                self.send(number, heard[number % 2])
            turn += 1
            time.sleep(0.5)

    def send(self, number: int, frames: bytes) -> None:
        if self.sockets[number] is None and time.monotonic() >= self.due[number]:
            with contextlib.suppress(OSError):
                port = self.ports[number % len(self.ports)]
                connected = socket.create_connection(("127.0.0.1", port), timeout=1)
                connected.sendall(b"\x1a\xe4" + self.digits[number].encode() + b"ffff")
                self.sockets[number] = connected
        try:
            connected = self.sockets[number]
            if connected is not None:
                connected.sendall(frames)
        except OSError:
            self.sockets[number], self.due[number] = None, time.monotonic() + RECONNECT_S

    def connected_to(self, port: int) -> int:
        """How many feeders are connected to a port."""
        count = 0
        for connection in self.sockets:
            with contextlib.suppress(OSError, AttributeError):
                count += connection.getpeername()[1] == port
        return count


def register_feeders(database_url: str, count: int) -> list[str]:
    """Register so many trusted feeders; their UUIDs."""
    digits = [uuid.uuid4().hex for _ in range(count)]
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
    return digits


@pytest.fixture(params=["redis_url", "nats_url"])
def installation(request, tmp_path, postgresql_url) -> Iterator[tuple[Service, list[Service], World]]:
    bus = request.getfixturevalue(request.param)
    shared = {"secret": "x" * 40, "bus": bus, "database_url": postgresql_url, "auth_mode": "public"}
    ports = [free_port(), free_port()]
    services = []
    for name, port in (("tracker", ports[0]), ("api", ports[0]), ("one", ports[0]), ("two", ports[1])):
        folder = tmp_path / name
        folder.mkdir()
        services.append(Service(folder, **shared, receiver__in=f"listen 127.0.0.1:{port}"))
    tracker, api, *ingests = services
    tracker.init()
    world = World(register_feeders(postgresql_url, FEEDERS), ports)
    try:
        tracker.start("--role", "tracker", wait=False)
        api.start("--role", "api")
        for ingest in ingests:
            ingest.start("--role", "ingest", wait=False)
        world.start()
        yield api, ingests, world
    finally:
        world.is_over = True
        for service in services:
            if service.process is not None and service.process.poll() is None:
                service.process.send_signal(signal.SIGTERM)
        for service in services:
            if service.process is not None:
                service.process.wait(PATIENCE_S)


def oldest_position_s(api: Service) -> float:
    """The age of the oldest position in the picture."""
    aircraft = api.get("/api/v1/aircraft?limit=1000")["aircraft"]
    return (
        max((fields.get("seen_pos", 99.0) for fields in aircraft), default=99.0) if len(aircraft) >= AIRCRAFT else 99.0
    )


def test_feeders_of_two_processes_make_one_picture_that_outlives_one_of_them(installation):
    api, (one, _), world = installation
    until(lambda: len(api.aircraft()) >= AIRCRAFT, "all aircraft")
    fields = until(lambda: {f["receiver"] for f in api.aircraft().values()} == {"feeders"}, "agreement of feeders")
    assert fields
    assert all("single_source" not in fields for fields in api.aircraft().values())
    until(lambda: oldest_position_s(api) < 3.0, "the positions of all aircraft")
    one.kill()
    # Behind one address a proxy would do this.
    world.ports[:] = [world.ports[1]]
    until(lambda: world.connected_to(world.ports[0]) == FEEDERS, "all feeders at the other process")
    back_at = time.time()
    seen = []

    def are_all_heard_again() -> bool:
        picture = api.get("/api/v1/aircraft?limit=1000")
        seen.append(len(picture["aircraft"]))
        ages = [fields.get("seen_pos", 99.0) for fields in picture["aircraft"]]
        return picture["now"] - max(ages, default=99.0) > back_at

    until(are_all_heard_again, "positions of all aircraft from the other process")
    assert min(seen) >= AIRCRAFT, "no aircraft is lost meanwhile"
