"""Entries on the list of known aircraft."""

from __future__ import annotations

import random
from typing import Any

import sqlalchemy as sa

from skywatch.cannonball.models import KnownAircraft, KnownRevision, derived_columns
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import SessionFactory, writing


def _entry(number: int, icao_hex: str, chance: random.Random) -> dict[str, Any]:
    now = utcnow()
    registration = f"N{number % 99999}"
    agency = f"{chance.choice(('Police Department', 'Sheriff', 'Highway Patrol'))} {number % 5000}"
    return {
        "icao_hex": icao_hex,
        "registration": registration,
        "aircraft_type": "AS50",
        "aircraft_model": "Airbus AS-350",
        "agency_name": agency,
        "agency_type": chance.choice(("federal", "state", "local", "unknown")),
        "agency_state": chance.choice(("CA", "NY", "TX", "")),
        "agency_city": "",
        "source": "community",
        "source_url": "",
        "verified": number % 3 == 0,
        "times_detected": 0,
        "notes": "",
        "created_at": now,
        "updated_at": now,
        "edited_fields": [],
        "revision": 1,
        **derived_columns(icao_hex, registration, agency),
    }


def fill_known(sessions: SessionFactory, addresses: list[str]) -> None:
    """Put entries with these addresses on the list."""
    chance = random.Random(1)
    with writing(sessions) as db:
        for start in range(0, len(addresses), 10_000):
            part = addresses[start : start + 10_000]
            db.execute(sa.insert(KnownAircraft), [_entry(start + n, a, chance) for n, a in enumerate(part)])
        db.execute(sa.update(KnownRevision).values(revision=1))
