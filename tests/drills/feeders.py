"""Feeders that connect to the next address where one is lost, and the sky that all of them hear."""

from __future__ import annotations

import math
import socket
import threading
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

import httpx

from skywatch.core.geo import destination
from skywatch.receivers.mode_s.encoder import airborne_position, beast, identification, squitter, velocity

FEEDERS, AIRCRAFT = 4, 40
SEND_EVERY_S, RECONNECT_S = 0.5, 0.5
SPEED_KT = 400
# A visitor raises an alert; it is heard for so long, and the next one comes after so long.
VISIT_S, VISIT_EVERY_S = 60.0, 5.0
CALLSIGN = "ALR"
_FIRST, _FIRST_VISITOR = 0x400000, 0x500000


@dataclass
class Sky:
    """Aircraft that fly straight on, each heard all the time, and visitors that come and go."""

    began: float = field(default_factory=time.monotonic)
    turn: int = 0

    def visitors(self, now: float) -> range:
        """The numbers of those that are there."""
        return range(self.arrived(now, VISIT_S).stop, self.arrived(now, 0.0).stop)

    def arrived(self, now: float, ago_s: float) -> range:
        """The numbers of those that came so long ago, or before."""
        return range(max(0, math.floor((now - self.began - ago_s) / VISIT_EVERY_S) + 1))

    def frames(self, now: float) -> bytes:
        """What each aircraft sends in half a second, as Beast."""
        self.turn += 1
        flown_nm = (now - self.began) * SPEED_KT / 3600
        sent = [self._sent(_FIRST + n, f"SKY{n}", 35.0 + n * 0.4, flown_nm) for n in range(AIRCRAFT)]
        for n in self.visitors(now):
            sent.append(self._sent(_FIRST_VISITOR + n, f"{CALLSIGN}{n}", 30.0 + n % 40 * 0.1, flown_nm % 50))
        return b"".join(sent)

    def _sent(self, address: int, callsign: str, lat: float, flown_nm: float) -> bytes:
        place_lat, place_lon = destination(lat, -20.0, 90.0, flown_nm)
        messages = [
            airborne_position(float(place_lat), float(place_lon), self.turn % 2, 20_000 + address % 97 * 100),
            velocity(SPEED_KT, 0),
        ]
        if (self.turn + address) % 4 == 0:
            messages.append(identification(callsign))
        return b"".join(beast(squitter(address, message), 0) for message in messages)


def hex_of(visitor: int) -> str:
    """The address of a visitor as the service writes it."""
    return f"{_FIRST_VISITOR + visitor:06X}"


def make_rule(base: str, token: str, channels: Sequence[int] = ()) -> None:
    """Each visitor raises an alert, once."""
    rule = {
        "name": "Visitors", "for_s": 0, "cooldown_s": 86400, "channels": list(channels),
        "conditions": {"field": "callsign", "op": "starts_with", "value": CALLSIGN},
    }  # fmt: skip
    answer = httpx.post(f"{base}/alerts/rules", json=rule, headers={"Authorization": f"Bearer {token}"}, timeout=30.0)
    assert answer.status_code == 201, answer.text


class Feeders(threading.Thread):
    """Each keeps one connection, and connects again after half a second where it breaks.

    The first go to the first of the addresses, the others to the last; a feeder whose address takes no connection tries
    the next one.
    """

    def __init__(self, addresses: Sequence[tuple[str, int]]) -> None:
        super().__init__(name="feeders", daemon=True)
        self._addresses = addresses
        self.digits = [uuid.uuid4().hex for _ in range(FEEDERS)]
        self.sky = Sky()
        self._sockets: list[socket.socket | None] = [None] * FEEDERS
        self._at = [number * len(addresses) // FEEDERS for number in range(FEEDERS)]
        self._due = [0.0] * FEEDERS
        self._stop_sending = threading.Event()

    @property
    def connected(self) -> int:
        """How many are connected."""
        return sum(connection is not None for connection in self._sockets)

    def run(self) -> None:
        """Send until ``close``."""
        next_at = time.monotonic()
        while not self._stop_sending.wait(max(0.0, next_at - time.monotonic())):
            next_at = max(next_at + SEND_EVERY_S, time.monotonic())
            frames = self.sky.frames(time.monotonic())
            for number in range(FEEDERS):
                self._send(number, frames)

    def close(self) -> None:
        """End."""
        self._stop_sending.set()
        self.join()
        for connection in filter(None, self._sockets):
            connection.close()

    def _send(self, number: int, frames: bytes) -> None:
        connection = self._sockets[number]
        if connection is None and time.monotonic() >= self._due[number]:
            connection = self._sockets[number] = self._connect(number)
        try:
            if connection is not None:
                connection.sendall(frames)
        except OSError:
            connection.close()  # type: ignore[union-attr]
            self._sockets[number], self._due[number] = None, time.monotonic() + RECONNECT_S

    def _connect(self, number: int) -> socket.socket | None:
        try:
            connection = socket.create_connection(self._addresses[self._at[number]], timeout=1)
            connection.sendall(b"\x1a\xe4" + self.digits[number].encode() + b"ffff")
        except OSError:
            self._at[number] = (self._at[number] + 1) % len(self._addresses)
            return None
        return connection
