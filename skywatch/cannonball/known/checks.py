"""Checks whether an address is on the list of known aircraft, from a cache: clients check every aircraft they show.

Addresses are looked up in the index of the process; the full entry of those on the list is cached until the list
changes, the aircraft is detected, or ``LIFETIME_S`` have passed.
"""

from __future__ import annotations

import threading
import time
from typing import Any

import msgspec
import sqlalchemy as sa

from skywatch.airframes.military import TOPIC as AIRFRAMES
from skywatch.cannonball import topics
from skywatch.cannonball.known.index import Snapshot, known_index
from skywatch.cannonball.known.schemas import KnownEntry
from skywatch.cannonball.models import KnownAircraft
from skywatch.cannonball.vocabulary import AgencyType
from skywatch.core.bus import Message
from skywatch.core.runtime import Runtime
from skywatch.http.resources.answer import members

# About 2 kB each.
MAX_CACHE = 10_000
# Lifetime of a cached entry (s), for changes whose announcement the bus lost.
LIFETIME_S = 60.0
MILITARY = AgencyType.MILITARY.value


class KnownChecks:
    """The cache of a process that serves the list."""

    def __init__(self, runtime: Runtime) -> None:
        self._index = runtime.shared(known_index)
        self._sessions = runtime.sessions
        self._lock = threading.Lock()
        # Address -> expiry (monotonic s) and entry, all of one snapshot.
        self._snapshot: Snapshot | None = None
        self._entries: dict[str, tuple[float, dict[str, Any]]] = {}
        self._address_of: dict[int, str] = {}
        followed = (topics.KNOWN, topics.DETECTED, AIRFRAMES)
        self._subscription = runtime.bus.subscribe(followed, self._on_message, on_reconnect=self._forget)
        runtime.at_close(self.close)

    def find(self, icao_hex: str, military: bool) -> dict[str, Any] | None:
        """The entry of an address in upper case; ``military`` includes military aircraft and agencies."""
        if icao_hex.startswith("~"):
            return None  # Not an ICAO address: not on the list.
        snapshot = self._index.recent()
        agency_type = snapshot.agency_type(int(icao_hex, 16))
        if agency_type is None:
            return None
        if not military and (agency_type == MILITARY or icao_hex in self._index.military):
            return None
        if self._snapshot is snapshot:
            cached = self._entries.get(icao_hex)
            if cached is not None and time.monotonic() < cached[0]:
                return cached[1]
        return self._read(icao_hex, snapshot, military)

    def close(self) -> None:
        """Close the subscription."""
        self._subscription.close()

    def _read(self, icao_hex: str, snapshot: Snapshot, military: bool) -> dict[str, Any] | None:
        names = members(KnownEntry)
        query = sa.select(*(getattr(KnownAircraft, name) for name in names)).where(KnownAircraft.icao_hex == icao_hex)
        with self._sessions() as db:
            row = db.execute(query).first()
        if row is None:
            return None  # Removed from the list a moment ago.
        entry = dict(zip(names, row, strict=True))
        if entry["agency_type"] == MILITARY and not military:
            return None
        with self._lock:
            if self._snapshot is not snapshot or len(self._entries) >= MAX_CACHE:
                self._snapshot, self._entries, self._address_of = snapshot, {}, {}
            self._entries[icao_hex] = time.monotonic() + LIFETIME_S, entry
            self._address_of[entry["id"]] = icao_hex
        return entry

    def _on_message(self, message: Message) -> None:
        # With other airframes other aircraft may be military.
        if message.topic in (topics.KNOWN, AIRFRAMES):
            self._index.expire()
            return
        with self._lock:
            for known_id in msgspec.json.decode(message.data, type=list[int]):
                self._entries.pop(self._address_of.get(known_id, ""), None)

    def _forget(self) -> None:
        self._index.expire()
        with self._lock:
            self._entries, self._address_of = {}, {}
