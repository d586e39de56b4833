"""Creates simulated aircraft, each with an identity and a flight of its kind."""

from __future__ import annotations

from collections import deque
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.core import geo
from skywatch.receivers.simulator.tables import AIRLINES, HELICOPTERS, LIGHT, MILITARY, Operator

Column = npt.NDArray[Any]

# Time for which the address of an aircraft that left is not reused (s): longer than pictures remember it.
RETIRED_S = 900.0
LETTERS = np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
CONSPICUITY = {"light": "7000", "parked": "2000"}


class Kind(IntEnum):
    """The kind of movement of an aircraft."""

    OVERFLIGHT = 0
    DEPARTURE = 1
    ARRIVAL = 2
    LIGHT = 3
    HELICOPTER = 4
    GROUND = 5


class Voice(IntEnum):
    """The kind of transmission of an aircraft; reports are built by group."""

    ADSB = 0
    MLAT = 1
    MODE_S = 2  # no position
    SURFACE = 3
    SURFACE_SILENT = 4  # on the ground, no position


AIRBORNE_KINDS = (Kind.OVERFLIGHT, Kind.DEPARTURE, Kind.ARRIVAL, Kind.LIGHT, Kind.HELICOPTER)
AIRBORNE_SHARES = (0.50, 0.14, 0.14, 0.15, 0.07)
MILITARY_SHARE = 0.04  # of airliner-like flights
MLAT_SHARE, MODE_S_SHARE = 0.05, 0.05
SILENT_GROUND_SHARE = 0.4

# The state of all aircraft, one row each: name -> dtype.
STATE: dict[str, str] = {
    "kind": "i1",
    "voice": "i1",
    "lat": "f8",
    "lon": "f8",
    "alt_ft": "f8",
    "gs_kt": "f8",
    "track_deg": "f8",
    "turn_deg_s": "f8",
    "rate_fpm": "f8",
    "cruise_ft": "f8",
    "cruise_kt": "f8",
    "moved_at": "f8",  # the state is that of this moment
    "seen_at": "f8",
    "position_at": "f8",
    "ends_at": "f8",
    "messages": "i8",
    "emergency": "i1",  # index into EMERGENCIES
    "emergency_until": "f8",
    "random": "f8",  # 0 to 1, fixed for its life: signal, quality, habits
}
TEXTS = ("hex", "flight", "r", "t", "category", "squawk")


class Fleet:
    """Creates aircraft around ``centre`` (degrees) within ``radius_nm``; deterministic for a generator."""

    def __init__(
        self, generator: np.random.Generator, centre: tuple[float, float], radius_nm: float, ground_share: float
    ) -> None:
        self._generator = generator
        self._centre = centre
        self._radius_nm = radius_nm
        self._ground_share = ground_share
        self._used_addresses: set[int] = set()
        self._retired: deque[tuple[float, int]] = deque()

    def fill(self, state: dict[str, Column], texts: dict[str, list[str]], row: int, now: float, entering: bool) -> None:
        """Put a new aircraft into a row; with ``entering`` at the edge of the area, else anywhere in it."""
        random = self._generator
        on_ground = bool(random.random() < self._ground_share)
        kind = Kind.GROUND if on_ground else Kind(int(random.choice(AIRBORNE_KINDS, p=AIRBORNE_SHARES)))
        operator = self._operator(kind)
        address = self._address(operator, texts, row, now)
        texts["hex"][row] = f"{address:06x}"
        texts["r"][row] = self._registration(operator)
        texts["t"][row] = str(random.choice(operator.types))
        texts["category"][row] = operator.category
        texts["flight"][row] = self._callsign(operator, texts["r"][row])
        texts["squawk"][row] = self._squawk(kind)
        values = self._place(kind, entering)
        share = random.random()
        voice = Voice.ADSB
        if kind is Kind.GROUND:
            voice = Voice.SURFACE_SILENT if share < SILENT_GROUND_SHARE else Voice.SURFACE
        elif share < MLAT_SHARE:
            voice = Voice.MLAT
        elif share < MLAT_SHARE + MODE_S_SHARE:
            voice = Voice.MODE_S
        values |= {
            "kind": kind,
            "voice": voice,
            "moved_at": now,
            "seen_at": now,
            "position_at": now,
            "ends_at": now + random.uniform(600, 5400),
            "messages": 1 if entering else int(random.integers(1, 4000)),
            "emergency": 0,
            "emergency_until": 0.0,
            "random": random.random(),
        }
        for name, value in values.items():
            state[name][row] = value

    def _operator(self, kind: Kind) -> Operator:
        random = self._generator
        table = {Kind.LIGHT: LIGHT, Kind.HELICOPTER: HELICOPTERS}.get(kind, AIRLINES)
        if kind in (Kind.OVERFLIGHT, Kind.GROUND) and random.random() < MILITARY_SHARE:
            table = MILITARY
        return table[int(random.integers(len(table)))]

    def _address(self, operator: Operator, texts: dict[str, list[str]], row: int, now: float) -> int:
        if texts["hex"][row]:
            self._retired.append((now, int(texts["hex"][row], 16)))
        while self._retired and self._retired[0][0] < now - RETIRED_S:
            self._used_addresses.discard(self._retired.popleft()[1])
        offset = int(self._generator.integers(operator.addresses))
        for step in range(operator.addresses):
            address = operator.first_address + (offset + step) % operator.addresses
            if address not in self._used_addresses:
                break
        else:
            # The block is full (very many aircraft): a spare one, unassigned to any state in Annex 10.
            address = 0xE90000 + row
        self._used_addresses.add(address)
        return address

    def _registration(self, operator: Operator) -> str:
        if operator.registration == "N":
            return f"N{self._generator.integers(100, 1000)}{''.join(self._generator.choice(LETTERS, 2))}"
        if not operator.registration:
            return ""
        country, _, series = operator.registration.partition("-")
        length = 3 if country in ("HB", "OE", "EC", "SE", "TC", "HA", "EI", "PH", "A6") else 4
        return f"{country}-{series}" + "".join(self._generator.choice(LETTERS, length - len(series)))

    def _callsign(self, operator: Operator, registration: str) -> str:
        if not operator.callsign:
            return registration.replace("-", "")
        number = str(self._generator.integers(1, 9999))
        if operator in AIRLINES and self._generator.random() < 0.3:
            number = f"{self._generator.integers(1, 99)}{''.join(self._generator.choice(LETTERS, 2))}"
        return operator.callsign + number

    def _squawk(self, kind: Kind) -> str:
        if kind is Kind.LIGHT and self._generator.random() < 0.6:
            return CONSPICUITY["light"]
        if kind is Kind.GROUND:
            return CONSPICUITY["parked"]
        return f"{self._generator.integers(0o0101, 0o7000):04o}"

    def _place(self, kind: Kind, entering: bool) -> dict[str, float]:
        """The initial position and movement, in the units of STATE."""
        random = self._generator
        outward = random.uniform(0, 360)
        # Even over the cap of the sphere, whatever its size.
        cap = 1 - np.cos(self._radius_nm / geo.EARTH_RADIUS_NM)
        anywhere_nm = float(np.arccos(1 - random.random() * cap) * geo.EARTH_RADIUS_NM)
        place: dict[str, float] = {"turn_deg_s": 0.0, "rate_fpm": 0.0, "cruise_ft": 0.0, "cruise_kt": 0.0}
        distance_nm, track = anywhere_nm, random.uniform(0, 360)
        if kind in (Kind.OVERFLIGHT, Kind.DEPARTURE, Kind.ARRIVAL):
            place["cruise_ft"] = 1000.0 * random.integers(30, 42)
            place["cruise_kt"] = random.uniform(430, 500)
            altitude = place["cruise_ft"]
            if kind is Kind.OVERFLIGHT and entering:
                distance_nm = self._radius_nm * 0.98
                track = (outward + 180 + random.uniform(-60, 60)) % 360
            elif kind is Kind.DEPARTURE:
                distance_nm, track = (random.uniform(1, 3) if entering else anywhere_nm), outward
                altitude = min(1500 + 250 * distance_nm, altitude)
            elif kind is Kind.ARRIVAL:
                distance_nm = self._radius_nm * 0.95 if entering else anywhere_nm
                altitude = min(500 + 318 * distance_nm, altitude)
        elif kind is Kind.LIGHT:
            distance_nm = anywhere_nm * 0.6
            altitude = place["cruise_ft"] = 500.0 * random.integers(3, 14)
            place["cruise_kt"] = random.uniform(75, 150)
        elif kind is Kind.HELICOPTER:
            distance_nm = anywhere_nm * 0.3
            altitude = place["cruise_ft"] = 100.0 * random.integers(6, 16)
            place["cruise_kt"] = random.uniform(55, 85)
            # An orbit of 0.4 to 1.2 nm: degrees a second = speed / radius.
            radius_nm = random.uniform(0.4, 1.2) * random.choice([-1, 1])
            place["turn_deg_s"] = float(np.degrees(place["cruise_kt"] / 3600 / radius_nm))
        else:
            distance_nm, altitude = random.uniform(0.1, 1.2), 0.0
            place["cruise_kt"] = random.choice([0.0, 0.0, random.uniform(4, 18)])
        lat, lon = geo.destination(*self._centre, outward, distance_nm)
        if kind is Kind.ARRIVAL:
            track = float(geo.bearing_deg(lat, lon, *self._centre))
        return place | {
            "lat": float(lat),
            "lon": float(lon),
            "alt_ft": altitude,
            "gs_kt": place["cruise_kt"],
            "track_deg": track,
        }
