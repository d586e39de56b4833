"""Storage of the learnt places: read at the start; changed cells are stored periodically."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import SessionFactory, writing
from skywatch.http.resources.answer import answer
from skywatch.safety.detection.learnt_places import CELL_DEG, MAX_CELLS, Cell, Learner, Learnt
from skywatch.safety.models import SafetyPlace
from skywatch.safety.schemas import PlaceRecord

# Cells a transaction: SQLite's lock is released in between.
BATCH = 500
_places: Any = SafetyPlace.__table__
_DELETION = sa.delete(_places).where(_places.c.y == sa.bindparam("in_y"), _places.c.x == sa.bindparam("in_x"))


def read(session: Session) -> dict[Cell, Learnt]:
    """The stored cells."""
    rows = session.scalars(sa.select(SafetyPlace).order_by(SafetyPlace.updated_at.desc()).limit(MAX_CELLS))
    cells: dict[Cell, Learnt] = {}
    for row in rows:
        runway = None if row.runway_lat is None or row.runway_lon is None else (row.runway_lat, row.runway_lon)
        levels = {int(level): int(visits) for level, visits in row.levels.items()}
        cells[(row.y, row.x)] = Learnt(levels, runway, row.runway_visits, row.updated_at.timestamp(), row.simulated)
    return cells


def store(sessions: SessionFactory, learner: Learner) -> None:
    """Store the cells that changed since the last time; raises SQLAlchemyError, after which they are still changed."""
    pending = sorted(learner.take_changed())
    try:
        while pending:
            with writing(sessions) as session:
                _store(session, pending[:BATCH], learner)
            pending = pending[BATCH:]
    except BaseException:
        learner.put_back(pending)
        raise


def _store(session: Session, cells: list[Cell], learner: Learner) -> None:
    # One statement for all: at 15,000 aircraft thousands of cells change in a minute.
    session.connection().execute(_DELETION, [{"in_y": y, "in_x": x} for y, x in cells])
    rows = []
    for y, x in cells:
        learnt = learner.learnt((y, x))
        if learnt is None:
            continue
        lat, lon = learnt.runway or (None, None)
        rows.append(
            {
                "y": y,
                "x": x,
                "levels": {str(level): visits for level, visits in sorted(learnt.levels.items())},
                "runway_lat": lat,
                "runway_lon": lon,
                "runway_visits": learnt.runway_visits,
                "simulated": learnt.simulated,
                "updated_at": utcnow(),
            }
        )
    if rows:
        session.execute(sa.insert(_places), rows)


def place_answer(row: SafetyPlace) -> dict[str, Any]:
    """A cell as the API answers it: its corner and size (degrees), its floor and runway."""
    learnt = Learnt({int(level): int(visits) for level, visits in row.levels.items()})
    return answer(
        PlaceRecord,
        row,
        south=round(row.y * CELL_DEG, 3),
        west=round(row.x * CELL_DEG, 3),
        size_deg=CELL_DEG,
        floor_ft=learnt.floor_ft(),
        visits=sum(learnt.levels.values()),
        runway=None if row.runway_lat is None else {"lat": row.runway_lat, "lon": row.runway_lon},
    )
