"""Sightings: one aircraft as a representative of something, and what flights add to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.airframes import service as airframes
from skywatch.airframes.military import MilitaryAircraft
from skywatch.firsts.keys import keys_of
from skywatch.firsts.models import IDS_AT_ONCE, MAX_NAME, Sighting
from skywatch.history.models import Flight

Row = Any  # Of the columns below.
Key = tuple[str, str, str, bool]
COLUMNS = (
    Flight.id,
    Flight.icao_hex,
    Flight.callsign,
    Flight.registration,
    Flight.aircraft_type,
    Flight.operator,
    Flight.category,
    Flight.military,
    Flight.active,
    Flight.simulated,
    Flight.first_seen_at,
    Flight.last_seen_at,
    Flight.positions,
    Flight.points,
)


def flights_of(session: Session, numbers: Iterable[int]) -> Iterable[Row]:
    """The stored ones of these flights."""
    ids = sorted(numbers)
    for begin in range(0, len(ids), IDS_AT_ONCE):
        some = Flight.id.in_(ids[begin : begin + IDS_AT_ONCE])
        yield from session.execute(sa.select(*COLUMNS).where(some))


def _entries(row: Row, military: MilitaryAircraft) -> dict[Key, dict[str, Any]]:
    """The sightings of one flight, by key."""
    names = {"airframe": row.registration, "operator": row.operator}
    return {
        (kind, key, row.icao_hex, row.simulated): {
            "first_at": row.first_seen_at,
            "last_at": None if row.active else row.last_seen_at,
            "flights": 1,
            "callsign": row.callsign,
            "flight_id": row.id,
            "name": (names.get(kind) or "")[:MAX_NAME] or None,
            "military": military.includes(row.icao_hex, was_marked=row.military),
            "is_open": row.active,
        }
        for kind, key in keys_of(row.icao_hex, row.aircraft_type, row.callsign).items()
    }


def merged(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Two sightings of one thing by one aircraft, both of flights that have ended, as one."""
    first = min(before, after, key=lambda entry: (entry["first_at"], entry["flight_id"] or 0))
    last = max(before, after, key=lambda entry: entry["last_at"])
    return {
        **first,
        "last_at": last["last_at"],
        "flights": before["flights"] + after["flights"],
        "name": last["name"] or first["name"],
        "military": after["military"],
    }


def collected(rows: Iterable[Row], military: MilitaryAircraft) -> dict[Key, dict[str, Any]]:
    """The sightings of flights that have ended."""
    found: dict[Key, dict[str, Any]] = {}
    for row in rows:
        for key, entry in _entries(row, military).items():
            found[key] = merged(found[key], entry) if key in found else entry
    return found


def count_ended(session: Session, rows: Sequence[Row], military: MilitaryAircraft) -> None:
    """Add flights that have ended to the sightings."""
    found = collected(rows, military)
    for sighting in read_sightings(session, {row.icao_hex for row in rows}):
        key = key_of(sighting)
        if key in found:
            if not sighting.is_open:
                found[key] = merged(values_of(sighting), found[key])
            session.delete(sighting)
    session.flush()
    store_sightings(session, found)


def store_sightings(session: Session, found: dict[Key, dict[str, Any]]) -> None:
    """Insert sightings; types that nobody has seen before get their name in words."""
    _name_types(session, found)
    rows = [
        {"kind": kind, "key": key, "icao_hex": address, "simulated": simulated, **entry}
        for (kind, key, address, simulated), entry in found.items()
    ]
    if rows:
        session.execute(sa.insert(Sighting), rows)


def _name_types(session: Session, found: dict[Key, dict[str, Any]]) -> None:
    unnamed = sorted({key[2] for key, entry in found.items() if key[0] == "type" and entry["name"] is None})
    names: dict[str, str | None] = {}
    for begin in range(0, len(unnamed), airframes.MAX_AT_ONCE):
        for address, airframe in airframes.find_many(session, unnamed[begin : begin + airframes.MAX_AT_ONCE]).items():
            names[address] = airframe.type_name
    for (kind, _, address, _), entry in found.items():
        if kind == "type" and entry["name"] is None:
            entry["name"] = (names.get(address) or "")[:MAX_NAME] or None


def read_sightings(session: Session, addresses: set[str]) -> Iterable[Sighting]:
    """The sightings of some aircraft."""
    ordered = sorted(addresses)
    for begin in range(0, len(ordered), IDS_AT_ONCE):
        yield from session.scalars(
            sa.select(Sighting).where(Sighting.icao_hex.in_(ordered[begin : begin + IDS_AT_ONCE]))
        )


def key_of(sighting: Sighting) -> Key:
    """What there is one sighting of."""
    return sighting.kind, sighting.key, sighting.icao_hex, sighting.simulated


def values_of(sighting: Sighting) -> dict[str, Any]:
    """A stored sighting without its key."""
    names = ("first_at", "last_at", "flights", "callsign", "flight_id", "name", "military", "is_open")
    return {name: getattr(sighting, name) for name in names}


def remove_open(session: Session, rows: Sequence[Row], gone: set[int]) -> None:
    """Remove the sightings of flights that went on: they have changed, have ended or are gone."""
    addresses = sorted({row.icao_hex for row in rows})
    for begin in range(0, len(addresses), IDS_AT_ONCE):
        some = Sighting.icao_hex.in_(addresses[begin : begin + IDS_AT_ONCE])
        numbers = Sighting.flight_id.in_([row.id for row in rows])
        session.execute(sa.delete(Sighting).where(some, Sighting.is_open, numbers))
    if gone:
        # There is no index of their numbers; this comes after the removal of simulated flights.
        session.execute(sa.delete(Sighting).where(Sighting.is_open, Sighting.flight_id.in_(sorted(gone))))


def add_open(session: Session, rows: Sequence[Row], military: MilitaryAircraft) -> None:
    """Add what is seen for the first time, in flights that go on."""
    found: dict[Key, dict[str, Any]] = {}
    for row in rows:
        found |= _entries(row, military)
    for sighting in read_sightings(session, {row.icao_hex for row in rows}):
        found.pop(key_of(sighting), None)
    store_sightings(session, found)
