"""Firsts, records and the journal of a drawn year of 500 aircraft at a time: 30,000 airframes, 4 million flights."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from benchmarks._endpoint_costs.entry import Entries, prepared, read
from benchmarks._endpoint_costs.installation import Installation
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.firsts.bests import UNITS
from skywatch.firsts.models import CountedDay, DayRecord, Sighting

AIRFRAMES, DAYS, TYPES, OPERATORS, COUNTRIES = 30_000, 365, 400, 500, 120
# Every tenth aircraft is military, so that both ways of reading have to look.
MILITARY_EVERY = 10


def fill(installation: Installation) -> None:
    """Store what a year's flights leave behind, once."""
    with installation.runtime.sessions() as session:
        if session.scalar(sa.select(sa.func.count()).select_from(Sighting)) == 4 * AIRFRAMES:
            return
    with writing(installation.runtime.sessions) as session:
        for model, rows in ((Sighting, _sightings()), (DayRecord, _records()), (CountedDay, _days())):
            session.execute(sa.delete(model))
            session.execute(sa.insert(model), rows)


def _sightings() -> list[dict[str, Any]]:
    now = utcnow().replace(microsecond=0)
    rows = []
    for number in range(AIRFRAMES):
        address = f"{0x400000 + number * 97:06X}"
        keys = {
            "airframe": address,
            # Most are of few types, as in the world.
            "type": f"T{min(number * 7919 % 10_007 * number % TYPES, number % 997 % TYPES):03d}",
            "operator": f"O{number * 31 % OPERATORS:03d}",
            "country": f"C{number * 17 % COUNTRIES:03d}",
        }
        first_at = now - timedelta(days=DAYS * (1.0 - number / AIRFRAMES))
        for kind, key in keys.items():
            rows.append(
                {
                    "kind": kind,
                    "key": key,
                    "icao_hex": address,
                    "simulated": False,
                    "first_at": first_at,
                    "last_at": now - timedelta(hours=number % 700),
                    "flights": 130,
                    "callsign": f"SWR{number % 1000}",
                    "flight_id": number + 1,
                    "name": "Airbus A320",
                    "military": number % MILITARY_EVERY == 0,
                    "is_open": False,
                }
            )
    return rows


def _records() -> list[dict[str, Any]]:
    now = utcnow().replace(microsecond=0)
    return [
        {
            "name": name,
            "day": now.date() - timedelta(days=day),
            "simulated": False,
            "military": military,
            "value": float(day * 7919 % 1009),
            "at": now - timedelta(days=day),
            "icao_hex": f"{0x400000 + day:06X}",
            "callsign": "SWR1",
            "aircraft_type": "A320",
            "flight_id": day + 1,
            "receiver": "roof",
            "source": "adsb_icao",
        }
        for name in UNITS
        for day in range(DAYS)
        for military in (False, True)
    ]


def _days() -> list[dict[str, Any]]:
    now = utcnow().replace(microsecond=0)
    return [
        {
            "day": now.date() - timedelta(days=day),
            "simulated": False,
            "military": military,
            "flights": 12_000 - day * 7919 % 1009,
            "airframes": 6_000,
            "first_at": now - timedelta(days=day),
            "last_at": now - timedelta(days=day),
            "hour_at": now - timedelta(days=day),
            "hour_flights": 900 - day * 7919 % 101,
        }
        for day in range(DAYS)
        for military in (False, True)
    ]


ENTRIES: Entries = {
    "GET /api/v1/firsts": [
        prepared(read("a page of 1,000 of a year", "/firsts?limit=1000"), fill),
        prepared(read("types", "/firsts?kind=type&limit=1000"), fill),
        prepared(read("airframes from far behind", "/firsts?kind=airframe&limit=1000&offset=25000"), fill),
    ],
    "GET /api/v1/records": [prepared(read("of a year", "/records"), fill)],
    "GET /api/v1/worth-a-look": [prepared(read("the whole sky", "/worth-a-look?limit=1000"), fill)],
    "GET /api/v1/journal": [prepared(read("a day of a year", "/journal"), fill)],
}
