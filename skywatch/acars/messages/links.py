"""Links messages to aircraft and flights: by address, else by registration.

A registration's address is that of the imported airframes, else that in the picture, else the one that came with it in
another message. A military aircraft hides its messages, also those that named nothing but a registration that only the
picture knows: these are linked when the picture shows it.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.acars.envelopes import Burst, FramePosition
from skywatch.acars.models import AcarsMessage
from skywatch.airframes import service as airframes
from skywatch.airframes.military import military_aircraft
from skywatch.airframes.models import AirframeRecord
from skywatch.picture.state.sky import Sky

MAX_REMEMBERED = 20_000
# How often it is looked whether airframes were imported (s): what was unknown may be known then.
IMPORTS_EVERY_S = 30.0
# A message belongs to the flight that was received this long before it at the most.
FLIGHT_GAP = timedelta(minutes=20)
# Stations' clocks differ by so much.
CLOCKS = timedelta(seconds=60)
# Flights of one query are looked for in this span; a batch is longer only where files are read.
SPAN = timedelta(hours=2)
# History begins a new flight after this long: none that began earlier can be the one.
MAX_FLIGHT = timedelta(hours=25)
# The same number is flown again a day later, perhaps by another aircraft.
FLIGHT_NUMBER_S = 6 * 3600.0


class Sighting(NamedTuple):
    """The aircraft of a message as it names it."""

    icao_hex: str | None
    registration: str | None
    at: datetime


class Link(NamedTuple):
    """The aircraft of a message, and the flight it belongs to, as far as they are known."""

    icao_hex: str | None = None
    military: bool = False
    flight_id: int | None = None
    callsign: str | None = None


class Registered(NamedTuple):
    """Military aircraft in the picture with a registration: (upper-case address, registration)."""

    aircraft: tuple[tuple[str, str], ...]


class _Flight(NamedTuple):
    id: int
    callsign: str | None
    begin: datetime
    end: datetime


class Linker:
    """Looks aircraft up, some hundred at once, and remembers them; for the writer's thread alone.

    ``sky`` is the picture of the last tick, which the tracker's thread sets, ``flights`` the table of stored flights
    (``StoredFlights``).
    """

    def __init__(self, flights: sa.FromClause | None) -> None:
        self.sky: Sky | None = None
        self._stored_flights = flights
        self._registered: tuple[Sky | None, dict[str, str]] = None, {}
        self._by_registration: OrderedDict[str, str | None] = OrderedDict()
        # Of messages with both; None where they contradict each other.
        self._received: OrderedDict[str, str | None] = OrderedDict()
        self._imports: dict[str, datetime] = {}
        self._looked_at = float("-inf")

    def link(self, session: Session, sightings: Sequence[Sighting]) -> list[Link]:
        """The links of messages, in their order; a few queries for all of them."""
        self.look_for_imports(session)
        nameless = {
            sighting.registration for sighting in sightings if sighting.icao_hex is None and sighting.registration
        }
        by_registration = self._addresses_of(session, nameless)
        self._learn(sightings)
        present = self._addresses_in_picture() if by_registration else {}
        by_registration = {
            name: address or present.get(name.replace("-", "")) or self._received.get(name)
            for name, address in by_registration.items()
        }
        addresses = [sighting.icao_hex or by_registration.get(sighting.registration or "") for sighting in sightings]
        all_addresses = {address for address in addresses if address}
        military = military_aircraft(session)
        flights = self._flights_of(session, all_addresses, [sighting.at for sighting in sightings])
        links = []
        for address, sighting in zip(addresses, sightings, strict=True):
            if address is None:
                links.append(Link())
                continue
            flight = _flight_at(flights.get(address, ()), sighting.at)
            flight_id, callsign = (flight.id, flight.callsign) if flight is not None else (None, None)
            is_military = address in military or (self.sky is not None and self.sky.is_military(address))
            links.append(Link(address, is_military, flight_id, callsign))
        return links

    def _learn(self, sightings: Sequence[Sighting]) -> None:
        received: dict[str, str | None] = {}
        for sighting in sightings:
            if sighting.icao_hex is not None and sighting.registration:
                earlier = received.get(
                    sighting.registration, self._received.get(sighting.registration, sighting.icao_hex)
                )
                received[sighting.registration] = sighting.icao_hex if earlier == sighting.icao_hex else None
        _remember(self._received, received)

    def look_for_imports(self, session: Session) -> None:
        """Look every so often whether airframes were imported, and ask them again for what was unknown."""
        if time.monotonic() - self._looked_at < IMPORTS_EVERY_S:
            return
        self._looked_at = time.monotonic()
        imports = airframes.last_imports(session)
        if imports != self._imports:
            self._imports = imports
            self._by_registration.clear()

    def _addresses_in_picture(self) -> dict[str, str]:
        """Registration without hyphens -> address; receivers may know some that no airframe has."""
        sky, registered = self._registered
        if sky is not self.sky and self.sky is not None:
            names = self.sky.column("registration").tolist()
            pairs = zip(names, self.sky.hexes, strict=True)
            registered = {
                name.decode("ascii", "replace").replace("-", ""): address.upper()
                for name, address in pairs
                if name and not address.startswith("~")
            }
            self._registered = self.sky, registered
        return registered

    def _addresses_of(self, session: Session, registrations: set[str]) -> dict[str, str | None]:
        """Registration -> address, None where no airframe has it."""
        spellings = {
            spelling: registration
            for registration in registrations
            if registration not in self._by_registration
            for spelling in spellings_of(registration)
        }
        addresses: dict[str, str | None] = dict.fromkeys(spellings.values())
        for some in _some(spellings):
            query = sa.select(AirframeRecord.registration, AirframeRecord.icao_hex)
            for row in session.execute(query.where(AirframeRecord.registration.in_(some))):
                addresses[spellings[row.registration]] = row.icao_hex
        cached = {
            registration: self._by_registration[registration]
            for registration in registrations
            if registration in self._by_registration
        }
        _remember(self._by_registration, {**cached, **addresses})
        return {**cached, **addresses}

    def _flights_of(self, session: Session, addresses: set[str], times: Sequence[datetime]) -> dict[str, list[_Flight]]:
        """The flights of aircraft about these times."""
        flights: dict[str, list[_Flight]] = {}
        if not addresses or self._stored_flights is None:
            return flights
        table = self._stored_flights.c
        for begin, end in _spans(times):
            for some in _some(addresses):
                columns = table.id, table.icao_hex, table.callsign, table.first_seen_at, table.last_seen_at
                query = sa.select(*columns).where(
                    table.icao_hex.in_(some),
                    table.first_seen_at.between(begin - MAX_FLIGHT, end + CLOCKS),
                    table.last_seen_at >= begin - FLIGHT_GAP,
                )
                for row in session.execute(query):
                    flight = _Flight(int(row.id), row.callsign, row.first_seen_at, row.last_seen_at)
                    flights.setdefault(row.icao_hex, []).append(flight)
        return flights


def registered_in(sky: Sky, earlier: set[str]) -> Registered:
    """The military aircraft in the picture that have a registration and are not among the ``earlier`` addresses."""
    names, hexes = sky.column("registration"), sky.hexes
    rows = np.flatnonzero(sky.column("military") & (names != b"")).tolist()
    aircraft = ((hexes[row].upper(), names[row].decode("ascii", "replace")) for row in rows)
    return Registered(tuple((address, name) for address, name in aircraft if address not in earlier))


def link_registered(session: Session, registered: Registered) -> None:
    """Link stored messages that named nothing but the registration of one of these aircraft."""
    addresses = {spelling: address for address, name in registered.aircraft for spelling in spellings_of(name)}
    messages: Any = AcarsMessage.__table__
    is_unlinked = messages.c.icao_hex.is_(None)
    for some in _some(addresses):
        unlinked = sa.select(messages.c.registration).where(is_unlinked, messages.c.registration.in_(some)).distinct()
        for registration in session.scalars(unlinked).all():
            update = sa.update(messages).where(is_unlinked, messages.c.registration == registration)
            session.execute(update.values(icao_hex=addresses[registration], military=True))


def spellings_of(registration: str) -> list[str]:
    """A registration as it may be written in lists: with and without hyphens."""
    return list(dict.fromkeys((registration, registration.replace("-", ""))))


class FlightAddresses:
    """The addresses of flight numbers, of what names both; for frames over HF that name the flight alone."""

    def __init__(self) -> None:
        self._addresses: OrderedDict[str, tuple[str, float]] = OrderedDict()

    def learn(self, content: Burst | FramePosition, at: float) -> None:
        """Note what a burst or frame of ``at`` (unix s) names."""
        if content.icao_hex is not None and content.flight:
            _remember(self._addresses, {content.flight: (content.icao_hex, at)})

    def find(self, flight: str | None, at: float) -> str | None:
        """The address that was last received with this flight number, where that is not long ago."""
        icao_hex, known_at = self._addresses.get(flight or "", (None, 0.0))
        return icao_hex if abs(at - known_at) <= FLIGHT_NUMBER_S else None


def _flight_at(flights: Iterable[_Flight], at: datetime) -> _Flight | None:
    """The flight that was in the air at that time; the latest where two overlap."""
    fitting = [flight for flight in flights if flight.begin <= at + CLOCKS and flight.end >= at - FLIGHT_GAP]
    return max(fitting, key=lambda flight: flight.begin, default=None)


def _spans(times: Iterable[datetime]) -> Iterator[tuple[datetime, datetime]]:
    """Times as few spans of at most ``SPAN``."""
    begin = end = None
    for at in sorted(times):
        if begin is None or end is None or at - begin > SPAN:
            if begin is not None and end is not None:
                yield begin, end
            begin = at
        end = at
    if begin is not None and end is not None:
        yield begin, end


def _some(values: Iterable[str]) -> Iterator[list[str]]:
    """Values in lists that one query takes."""
    ordered = sorted(values)
    for start in range(0, len(ordered), airframes.MAX_AT_ONCE):
        yield ordered[start : start + airframes.MAX_AT_ONCE]


def _remember(table: OrderedDict[str, Any], entries: dict[str, Any]) -> None:
    table.update(entries)
    for key in entries:
        table.move_to_end(key)
    while len(table) > MAX_REMEMBERED:
        table.popitem(last=False)
