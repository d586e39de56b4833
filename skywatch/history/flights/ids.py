"""Identifiers of new flights: never one that a flight in the archive has."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.archive.models import ArchivedDay
from skywatch.history.models import Flight

KIND = "flights"
_flights: Any = Flight.__table__


def new_flight_ids(session: Session, count: int) -> list[int]:
    """Allocates identifiers up front: a bulk insert with known ids is many times faster than ``RETURNING``.

    On SQLite the next id is safe to compute: the transaction holds the write lock. Archived flights count: the table
    may have lost its newest rows to the archive, and their ids must not come to mean other flights.
    """
    if session.get_bind().dialect.name == "sqlite":
        stored = session.scalar(sa.select(sa.func.max(Flight.id))) or 0
        archived = session.scalar(sa.select(sa.func.max(ArchivedDay.last_id)).where(ArchivedDay.kind == KIND)) or 0
        highest = max(stored, archived)
        return list(range(highest + 1, highest + 1 + count))
    from sqlalchemy.dialects import postgresql  # Imported on PostgreSQL alone: it takes 4 MB.

    sequence = sa.func.pg_get_serial_sequence(_flights.name, "id").cast(postgresql.REGCLASS)
    numbers = sa.select(sa.func.nextval(sequence)).select_from(sa.func.generate_series(1, count))
    return list(session.execute(numbers).scalars())
