"""Feeders."""

from __future__ import annotations

import sqlalchemy as sa

from benchmarks._endpoint_costs.entry import Entries, Entry, on_row, prepared, read, send
from benchmarks._endpoint_costs.installation import Installation
from benchmarks._endpoint_costs.rows import insert
from skywatch.feeders.models import Feeder


def fill(installation: Installation) -> None:
    """Add feeders until the newest has the number of rows that every table has."""
    sessions, rows = installation.runtime.sessions, installation.sizes.rows
    with sessions() as session:
        newest = session.scalar(sa.select(sa.func.max(Feeder.id))) or 0
    if newest < rows:
        insert(
            sessions,
            Feeder,
            rows - newest,
            owner_id=None,
            name=lambda n: f"Feeder {newest + n}",
            name_key=lambda n: f"feeder {newest + n}",
            uuid_hash=lambda n: f"{newest + n:064x}",
            place_privacy="10km",
            notice=None,
        )


def filled(entry: Entry) -> Entry:
    """An entry over a full table."""
    return prepared(entry, fill)


ONE = "/feeders/{id}/"
ENTRIES: Entries = {
    "GET /api/v1/feeders/": [
        filled(read("a page of 1,000", "/feeders/?limit=1000")),
        filled(read("a late page of 1,000", "/feeders/?limit=1000&offset=15000")),
    ],
    "POST /api/v1/feeders/": [
        filled(send("a name", "/feeders/", lambda n: {"name": f"New {n}", "owner": None})),
    ],
    "GET /api/v1/feeders/{id}/": [filled(on_row("one feeder", ONE, Feeder))],
    "PATCH /api/v1/feeders/{id}/": [
        filled(on_row("a name", ONE, Feeder, lambda n: {"name": f"Other {n}"})),
    ],
    "POST /api/v1/feeders/{id}/rotate/": [filled(on_row("a new UUID", f"{ONE}rotate/", Feeder, lambda n: None))],
    "DELETE /api/v1/feeders/{id}/": [filled(on_row("one feeder", ONE, Feeder))],
}
