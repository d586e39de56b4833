"""Airports and their runways, and a month of the busiest one's movements."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import sqlalchemy as sa

from benchmarks._endpoint_costs.entries.history import span
from benchmarks._endpoint_costs.entry import Entries, prepared, read
from benchmarks._endpoint_costs.installation import Installation
from skywatch.airports.models import AirportApproach, Movement
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing

# Movements of 31 days at one airport; those of an hour end the span.
MOVEMENTS, EVERY_S = 40_000, 67.0
APPROACHES = 40


def fill(installation: Installation) -> None:
    """Store the movements of a month at one airport, once."""
    now = utcnow()
    with writing(installation.runtime.sessions) as session:
        if session.scalar(sa.select(sa.func.count()).select_from(Movement)) == MOVEMENTS:
            return
        session.execute(sa.delete(Movement))
        rows = [
            {
                "airport": "LSZH",
                "kind": ("landing", "take_off")[number % 2],
                "runway": ("14", "16", "28", "34")[number % 4],
                "at": now - timedelta(seconds=number * EVERY_S),
                "sure": 0.99,
                "icao_hex": f"{0x4B0000 + number % 900:06X}",
                "callsign": f"SWR{number % 2_000}",
                "flight_id": 10**9 + number,
                "from_or_to": "EGLL",
                "military": number % 50 == 0,
                "simulated": False,
            }
            for number in range(MOVEMENTS)
        ]
        session.execute(sa.insert(Movement), rows)
        approaches = [
            {"airport": "LSZH", "at": row["at"], "icao_hex": row["icao_hex"], "seen": True, "military": False}
            for row in rows[:APPROACHES]
        ]
        session.execute(sa.insert(AirportApproach), approaches)


filled = partial(prepared, prepare=fill)

ENTRIES: Entries = {
    "GET /api/v1/airports": [
        read("a page of 1,000", "/airports?limit=1000"),
        read("a word that most have", "/airports?q=airport&limit=1000&bbox=-180,-90,180,90"),
        read("many short words", f"/airports?q={'%20'.join('aeiorntsl')}&limit=1000"),
    ],
    "GET /api/v1/airports/{ident}": [filled(read("an airport of many runways", "/airports/KORD"))],
    "GET /api/v1/airports/{ident}/board": [
        filled(span("a page of 1,000 of a month", "/airports/LSZH/board?limit=1000", 31.0)),
        filled(span("the last page of a month", "/airports/LSZH/board?limit=1000&offset=39000", 31.0)),
        filled(span("departures of a month", "/airports/LSZH/board?limit=1000&direction=departures", 31.0)),
    ],
}
