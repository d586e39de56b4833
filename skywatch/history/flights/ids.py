"""Identifiers of new flights: never one that another flight has had."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.archive.models import ArchivedDay
from skywatch.core.database.engine import insert_into
from skywatch.history.models import Flight, FlightNumbers

KIND = "flights"
_flights: Any = Flight.__table__


def new_flight_ids(session: Session, count: int) -> list[int]:
    """Allocates identifiers up front: a bulk insert with known ids is many times faster than ``RETURNING``.

    On SQLite the next id is safe to compute: the transaction holds the write lock. Flights that are gone count: the
    table may have lost its newest rows, and their ids must not come to mean other flights.
    """
    if session.get_bind().dialect.name == "sqlite":
        stored = session.scalar(sa.select(sa.func.max(Flight.id))) or 0
        archived = session.scalar(sa.select(sa.func.max(ArchivedDay.last_id)).where(ArchivedDay.kind == KIND)) or 0
        # Databases of earlier releases remember none.
        highest = max(stored, archived, session.scalar(sa.select(FlightNumbers.highest)) or 0)
        given = {"highest": highest + count}
        insert = insert_into(session, FlightNumbers).values(id=1, **given)
        session.execute(insert.on_conflict_do_update(index_elements=["id"], set_=given))
        return list(range(highest + 1, highest + 1 + count))
    from sqlalchemy.dialects import postgresql  # Imported on PostgreSQL alone: it takes 4 MB.

    sequence = sa.func.pg_get_serial_sequence(_flights.name, "id").cast(postgresql.REGCLASS)
    numbers = sa.select(sa.func.nextval(sequence)).select_from(sa.func.generate_series(1, count))
    return list(session.execute(numbers).scalars())
