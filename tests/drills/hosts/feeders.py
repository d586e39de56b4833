"""Feeders that connect through the proxy, and the sky that all of them hear."""

from __future__ import annotations

import socket
import threading
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass, field

from skywatch.core.geo import destination
from skywatch.receivers.mode_s.encoder import airborne_position, beast, identification, squitter, velocity
from tests.drills.hosts.files import PROXY_HOST
from tests.drills.network import Lan

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

    def visitors(self, now: float, over_s: float = 0.0) -> range:
        """The numbers of those that are there; with ``over_s`` those that have left for so long."""
        newest = int((now - self.began) / VISIT_EVERY_S)
        oldest = max(0, int((now - self.began - VISIT_S) / VISIT_EVERY_S) + 1)
        if over_s:
            return range(max(0, int((now - self.began - VISIT_S - over_s) / VISIT_EVERY_S)))
        return range(oldest, newest + 1)

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


class Feeders(threading.Thread):
    """Each keeps one connection to the proxy, and connects again after half a second where it breaks."""

    def __init__(self) -> None:
        super().__init__(name="feeders", daemon=True)
        self.digits = [uuid.uuid4().hex for _ in range(FEEDERS)]
        self.sky = Sky()
        self._sockets: list[socket.socket | None] = [None] * FEEDERS
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
            with suppress(OSError):
                connection = socket.create_connection((Lan.address(PROXY_HOST), 30004), timeout=1)
                connection.sendall(b"\x1a\xe4" + self.digits[number].encode() + b"ffff")
                self._sockets[number] = connection
        try:
            if connection is not None:
                connection.sendall(frames)
        except OSError:
            connection.close()  # type: ignore[union-attr]
            self._sockets[number], self._due[number] = None, time.monotonic() + RECONNECT_S
