"""Drawn flights, what their transponders send, and what liars make of it."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from skywatch.receivers.framing.frames import Column
from skywatch.receivers.mode_s.encoder import (
    airborne_position,
    identification,
    reply,
    reply_altitude_code,
    squitter,
    surface_position,
    velocity,
)

HALF_S = 0.5


@dataclasses.dataclass
class Traffic:
    """*n* flights over *t* half seconds: ``lat``, ``lon``, ``altitude_ft``, ``east_kt``, ``north_kt``, all [t, n]."""

    lat: Column
    lon: Column
    altitude_ft: Column
    east_kt: Column
    north_kt: Column

    @classmethod
    def drawn(cls, count: int, half_seconds: int, seed: int) -> Traffic:
        """Turning and climbing flights, apart from each other."""
        chance = np.random.default_rng(seed)
        t = np.arange(half_seconds)[:, None] * HALF_S
        track = chance.uniform(0, 360, count) + chance.uniform(-3, 3, count) * t
        speed = chance.uniform(150, 520, count) + 40 * np.sin(t / chance.uniform(20, 90, count))
        rate = chance.uniform(-40, 40, count)
        altitude = 20_000 + 25 * np.arange(count) + 5_000 * np.sin(rate * t / 5_000)
        east, north = np.rint(speed * np.sin(np.radians(track))), np.rint(speed * np.cos(np.radians(track)))
        lat = 35 + np.arange(count) % 60 * 0.4 + np.cumsum(north, 0) * HALF_S / 3600 / 60
        lon = -8 + np.arange(count) // 60 * 0.9 + np.cumsum(east, 0) * HALF_S / 3600 / 60 / np.cos(np.radians(lat))
        return cls(lat, lon, np.rint(altitude / 25).astype(int) * 25, east.astype(int), north.astype(int))

    @staticmethod
    def address(number: int) -> int:
        """The address of a flight."""
        return 0x400000 + number * 97

    @staticmethod
    def callsign(number: int) -> str:
        """Its callsign."""
        return f"TST{number}"

    @staticmethod
    def squawk(number: int) -> int:
        """Its squawk as four octal digits."""
        return 0o1000 + number % 0o5000

    def frames(self, half_second: int) -> list[bytes]:
        """What all flights send in half a second."""
        sent = []
        for number in range(self.lat.shape[1]):
            sent += self.flight(number, half_second)
        return sent

    def flight(self, number: int, t: int, but: dict[str, Any] | None = None) -> list[bytes]:
        """What a flight sends in half a second, ``but`` for what a liar changes.

        ``mark`` makes a liar's velocities (vertical rate) and replies (utility message) its own.
        """
        lie, address = but or {}, self.address(number)
        mark = lie.get("mark", 0)
        lat, lon = lie.get("lat", self.lat[t, number]), lie.get("lon", self.lon[t, number])
        altitude = lie.get("altitude_ft", int(self.altitude_ft[t, number]))
        east, north = lie.get("east_kt", int(self.east_kt[t, number])), int(self.north_kt[t, number])
        position = airborne_position(lat, lon, t % 2, altitude)
        if lie.get("on_ground"):
            position = surface_position(lat, lon, t % 2)
        sent = [squitter(address, position), squitter(address, velocity(east, north, 64 * mark))]
        if (t + number) % 10 == 0:
            category = lie.get("category", 0xA3)
            sent.append(squitter(address, identification(lie.get("callsign", self.callsign(number)), category)))
        if (t + number) % 4 == 0:
            sent.append(reply(5, address, mark << 13 | identity_code(lie.get("squawk", self.squawk(number)))))
        if (t + number) % 4 == 2:
            sent.append(reply(4, address, mark << 13 | reply_altitude_code(altitude)))
        return sent


def identity_code(squawk: int) -> int:
    """The 13 bits of a squawk (ICAO Annex 10 volume IV, 3.1.2.6.7.1: C1 A1 C2 A2 C4 A4 X B1 D1 B2 D2 B4 D4)."""
    a, b, c, d = (squawk >> 9) & 7, (squawk >> 6) & 7, (squawk >> 3) & 7, squawk & 7
    bits = (
        c & 1,
        a & 1,
        c >> 1 & 1,
        a >> 1 & 1,
        c >> 2,
        a >> 2,
        0,
        b & 1,
        d & 1,
        b >> 1 & 1,
        d >> 1 & 1,
        b >> 2,
        d >> 2,
    )
    return sum(bit << 12 - place for place, bit in enumerate(bits))


def kind_of(frame: bytes) -> str:
    """What a frame carries, see HEARD_WITH."""
    if frame[0] >> 3 != 17:
        return "identity" if frame[0] >> 3 == 5 else "altitude"
    type_code = frame[4] >> 3
    return "position" if type_code == 11 else "velocity" if type_code == 19 else "identification"


# The kinds of liars; those with a number are late by so many seconds, see ``LiarWorld``.
KINDS = ("shifted", "close", "replayed 5", "replayed 20", "replayed 60", "invented", "fields", "replies")
INVENTED = 0x700000


def lies(kind: str, traffic: Traffic, number: int, t: int, chance: random.Random) -> Iterator[bytes]:
    """What a liar sends in half a second; no two send the same lie, but for those in a pact."""
    for flight in range(traffic.lat.shape[1]):
        lat, lon = traffic.lat[t, flight], traffic.lon[t, flight]
        altitude, east = int(traffic.altitude_ft[t, flight]), int(traffic.east_kt[t, flight])
        address = traffic.address(flight)
        if kind == "invented":
            address = INVENTED + (number << 12) + flight
            yield squitter(address, airborne_position(lat, lon, t % 2, altitude))
            yield squitter(address, velocity(east, 100))
        elif kind == "replies":
            yield squitter(address, identification(f"REPLY{number}"))
            yield reply(5, address, number << 13 | identity_code(0o7600))
            yield reply(4, address, number << 13 | reply_altitude_code(altitude + 500))
        else:
            changes = _CHANGES[kind](traffic, flight, number, t, chance)
            yield from traffic.flight(flight, t, {"mark": number, **changes})


Changes = dict[str, Any]


def _shifted(traffic: Traffic, flight: int, number: int, t: int, chance: random.Random) -> Changes:
    return {
        "lat": traffic.lat[t, flight] + 0.2 + number / 100,
        "altitude_ft": int(traffic.altitude_ft[t, flight]) // 2,
        "east_kt": -100 - number,
        "callsign": f"LIE{number}",
        "squawk": 0o6000 + number,
        "category": 0xB6,
    }


def _close(traffic: Traffic, flight: int, number: int, t: int, chance: random.Random) -> Changes:
    """Off by 30 m to half a mile, and by 25 to 400 ft."""
    off_deg = chance.choice((-1, 1)) * chance.choice((0.0003, 0.001, 0.003, 0.008))
    return {
        "lat": traffic.lat[t, flight] + off_deg,
        "lon": traffic.lon[t, flight] - off_deg,
        "altitude_ft": int(traffic.altitude_ft[t, flight]) + chance.choice((25, 100, 400)),
        "east_kt": int(traffic.east_kt[t, flight]) + 3 + number,
        "callsign": f"X{number}T{flight}",
        "squawk": traffic.squawk(flight) ^ number,
        "category": 0xA5,
    }


def _fields(traffic: Traffic, flight: int, number: int, t: int, chance: random.Random) -> Changes:
    """True but for one thing."""
    altitude_ft = int(traffic.altitude_ft[t, flight])
    changes: tuple[Changes, ...] = (
        {"altitude_ft": altitude_ft + 300 + 25 * number},
        {"altitude_ft": 1_000},
        {"callsign": f"EVIL{number}"},
        {"category": 0xA1 + number % 2},
        {"squawk": 0o7500},
        {"on_ground": True},
        {"east_kt": int(traffic.east_kt[t, flight]) + 20 + number},
    )
    return changes[(flight + number) % len(changes)]


def _pact(traffic: Traffic, flight: int, number: int, t: int, chance: random.Random) -> Changes:
    """The same of all who are in it."""
    return {
        "mark": 0,
        "lat": traffic.lat[t, flight] + 0.05,
        "altitude_ft": int(traffic.altitude_ft[t, flight]) + 2_000,
        "callsign": "PACT",
        "squawk": 0o7700,
    }


_CHANGES = {"shifted": _shifted, "close": _close, "fields": _fields, "pact": _pact}
