"""Routes: the imported table, and what was learnt of 60 days."""

from __future__ import annotations

import itertools
from datetime import timedelta

import sqlalchemy as sa

from benchmarks._endpoint_costs.ask import API, Ask, json_bytes
from benchmarks._endpoint_costs.entry import Entries, Entry, prepared, read
from benchmarks._endpoint_costs.installation import Installation
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.routes.models import FlownRoute

IMPORT_MS = 40_000.0
IMPORT = "an upload: an administrator's table of up to 500,000 rows is read, compared and stored"
AIRPORTS = ("EGLL", "LSZH", "EDDF", "LFPG", "EHAM", "KJFK", "LEMD", "LOWW")
# Callsigns with a flight a day for 60 days.
CALLSIGNS, DAYS = 500, 60
PLANES = {"planes": [{"callsign": f"SWR{number}", "lat": 49.3, "lng": 4.1} for number in range(100)]}


def fill(installation: Installation) -> None:
    """Store what was learnt of 60 days."""
    ends = itertools.cycle(itertools.permutations(AIRPORTS, 2))
    now = utcnow()
    rows = [
        {
            "flight_id": 10**9 + number * DAYS + day,
            "icao_hex": f"{0x4B0000 + number:06X}",
            "callsign": f"SWR{number}",
            "military": False,
            "simulated": False,
            "origin": origin,
            "destination": destination,
            "began_at": now - timedelta(days=day, hours=2),
            "ended_at": now - timedelta(days=day),
            "learnt_at": now,
        }
        for number, (origin, destination) in zip(range(CALLSIGNS), ends, strict=False)
        for day in range(DAYS)
    ]
    with writing(installation.runtime.sessions) as session:
        session.execute(sa.delete(FlownRoute))
        session.execute(sa.insert(FlownRoute), rows)


def import_of(what: str, row: str, *, status: tuple[int, ...] = (200,)) -> Entry:
    """An import of as many rows as an administrator's table has."""

    def ask(installation: Installation) -> Ask:
        count = installation.sizes.imported - 1
        body = "".join(f"{row.format(number)}\n" for number in range(count)).encode()
        return Ask(f"{API}/routes/import", body, content_type="text/csv", status=status)

    return Entry(what, ask, allowed_ms=IMPORT_MS, reason=IMPORT)


ENTRIES: Entries = {
    "GET /api/v1/routes/status": [prepared(read("60 days of 500 callsigns", "/routes/status"), fill)],
    "GET /api/v1/routes/{callsign}": [prepared(read("60 days of a callsign", "/routes/SWR1"), fill)],
    "POST /api/v1/routes/import": [
        import_of("500,000 rows", "SWR{:05x},SWR,1,SWR,LSZH-EGLL-KJFK"),
        import_of("as many faults", "SWR{:05x},SWR,1,SWR,LSZH", status=(400,)),
    ],
    "DELETE /api/v1/routes/table": [Entry("the table", lambda _: Ask(f"{API}/routes/table", status=(204,)))],
    "POST /api/0/routeset": [
        prepared(Entry("100 aircraft", lambda _: Ask("/api/0/routeset", json_bytes(PLANES))), fill),
    ],
}
