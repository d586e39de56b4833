"""Creates simulated aircraft, each with an identity and a flight of its kind in a place that ``placement`` finds."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from enum import IntEnum
from typing import Any

import numpy as np

from skywatch.receivers.simulator.airspace import Airspace
from skywatch.receivers.simulator.paths import Column
from skywatch.receivers.simulator.placement import Kind, Placement
from skywatch.receivers.simulator.scatter import Scatter
from skywatch.receivers.simulator.tables import AIRLINES, HELICOPTERS, LIGHT, MILITARY, Operator

# Time for which the address of an aircraft that left is not reused (s): longer than pictures remember it.
RETIRED_S = 900.0
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
CONSPICUITY = {"light": "7000", "parked": "2000"}


class Voice(IntEnum):
    """The kind of transmission of an aircraft; reports are built by group."""

    ADSB = 0
    MLAT = 1
    MODE_S = 2  # no position
    SURFACE = 3
    SURFACE_SILENT = 4  # on the ground, no position


# Of a row whose aircraft waits for room: it sends nothing.
WAITING = -1
AIRBORNE_KINDS = (Kind.OVERFLIGHT, Kind.DEPARTURE, Kind.ARRIVAL, Kind.LIGHT, Kind.HELICOPTER)
AIRBORNE_SHARES = (0.50, 0.14, 0.14, 0.15, 0.07)
AIRBORNE_LIMITS = np.cumsum(AIRBORNE_SHARES) / np.cumsum(AIRBORNE_SHARES)[-1]
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
    "rate_fpm": "f8",
    # The place, as ``placement.Place`` has it.
    "c": "3f8",
    "u": "3f8",
    "v": "3f8",
    "arc_nm": "f8",
    "angle": "f8",
    "began_at": "f8",
    "cruise_ft": "f8",
    "cruise_kt": "f8",
    "swing_ft": "f8",
    "profile": "i1",
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
    """Creates aircraft; deterministic for a generator. ``kind`` and ``place`` are drawn for each."""

    def __init__(
        self,
        generator: np.random.Generator,
        centre: tuple[float, float],
        radius_nm: float,
        ground_share: float,
        count: int,
        now: float,
        separation: bool,
    ) -> None:
        self._generator = generator
        self._ground_share = ground_share
        self._used_addresses: set[int] = set()
        self._retired: deque[tuple[float, int]] = deque()
        self._releases: dict[int, Callable[[], None]] = {}
        self.placement: Placement = Scatter(generator, centre, radius_nm)
        if separation:
            shares = {k: share * (1 - ground_share) for k, share in zip(AIRBORNE_KINDS, AIRBORNE_SHARES, strict=True)}
            self.placement = Airspace(generator, count, shares, centre, radius_nm, now)

    def fill(self, state: dict[str, Column], texts: dict[str, list[str]], row: int, now: float, entering: bool) -> None:
        """Put a new aircraft into a row; with ``entering`` at the beginning of its flight, else anywhere in it."""
        random = self._generator
        self._releases.pop(row, _nothing)()
        on_ground = bool(random.random() < self._ground_share)
        drawn = Kind.GROUND if on_ground else self._airborne_kind()
        place = self.placement.place(drawn, now, entering)
        if place is None:
            state["voice"][row] = WAITING
            return
        self._releases[row] = place.release
        kind = place.kind
        operator = self._operator(kind)
        address = self._address(operator, texts, row, now)
        texts["hex"][row] = f"{address:06x}"
        texts["r"][row] = self._registration(operator)
        texts["t"][row] = operator.types[int(random.integers(len(operator.types)))]
        texts["category"][row] = operator.category
        texts["flight"][row] = self._callsign(operator, texts["r"][row])
        texts["squawk"][row] = self._squawk(kind)
        values: dict[str, Any] = {
            "kind": kind,
            "voice": self._voice(kind),
            "c": place.path.c,
            "u": place.path.u,
            "v": place.path.v,
            "arc_nm": place.path.arc_nm,
            "angle": place.path.angle,
            "began_at": place.began_at,
            "cruise_ft": place.altitude_ft,
            "cruise_kt": place.speed_kt,
            "swing_ft": place.swing_ft,
            "profile": place.profile,
            "moved_at": now,
            "seen_at": now,
            "position_at": now,
            "ends_at": place.ends_at,
            "messages": 1 if entering else int(random.integers(1, 4000)),
            "emergency": 0,
            "emergency_until": 0.0,
            "random": random.random(),
        }
        for name, value in values.items():
            state[name][row] = value

    def _airborne_kind(self) -> Kind:
        # What `choice` with these shares draws, without preparing them for every aircraft.
        return AIRBORNE_KINDS[int(AIRBORNE_LIMITS.searchsorted(self._generator.random(), side="right"))]

    def _letters(self, count: int) -> str:
        return "".join(LETTERS[number] for number in self._generator.integers(len(LETTERS), size=count).tolist())

    def _voice(self, kind: Kind) -> Voice:
        share = self._generator.random()
        if kind is Kind.GROUND:
            return Voice.SURFACE_SILENT if share < SILENT_GROUND_SHARE else Voice.SURFACE
        if share < MLAT_SHARE:
            return Voice.MLAT
        return Voice.MODE_S if share < MLAT_SHARE + MODE_S_SHARE else Voice.ADSB

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
            return f"N{self._generator.integers(100, 1000)}{self._letters(2)}"
        if not operator.registration:
            return ""
        country, _, series = operator.registration.partition("-")
        length = 3 if country in ("HB", "OE", "EC", "SE", "TC", "HA", "EI", "PH", "A6") else 4
        return f"{country}-{series}" + self._letters(length - len(series))

    def _callsign(self, operator: Operator, registration: str) -> str:
        if not operator.callsign:
            return registration.replace("-", "")
        number = str(self._generator.integers(1, 9999))
        if operator in AIRLINES and self._generator.random() < 0.3:
            number = f"{self._generator.integers(1, 99)}{self._letters(2)}"
        return operator.callsign + number

    def _squawk(self, kind: Kind) -> str:
        if kind is Kind.LIGHT and self._generator.random() < 0.6:
            return CONSPICUITY["light"]
        if kind is Kind.GROUND:
            return CONSPICUITY["parked"]
        return f"{self._generator.integers(0o0101, 0o7000):04o}"


def _nothing() -> None:
    """The release of a place that nobody waits for."""
