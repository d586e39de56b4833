"""Lists and exports of geofences, whose geometries go from the database to the answer as the JSON texts they are.

Parsing and encoding them each time would be nearly all that such an answer costs.
"""

from __future__ import annotations

from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.alerts.access import MAX_GEOFENCES, own
from skywatch.alerts.geofences.schemas import GeofenceRecord
from skywatch.alerts.models import Geofence
from skywatch.http.resources.answer import answer
from skywatch.security.visibility import Visibility

PROPERTIES = ("id", "name", "floor_ft", "ceiling_ft", "elevation_ft")
# All that an answer shows, but the geometry.
COLUMNS = (*PROPERTIES, "user_id", "created_at", "updated_at")
# A page ends where its geometries have so many characters; until then rows are read so many at a time.
MAX_PAGE, READ_AT_ONCE = 8_000_000, 50


def page_of_geofences(
    session: Session, visibility: Visibility, offset: int, limit: int
) -> tuple[list[dict[str, Any]], int]:
    """Answers about the caller's geofences (everybody's with ``alerts.manage_all``), by id, and the count of all.

    There are fewer than ``limit`` where the geometries are large.
    """
    where = own(Geofence, visibility)
    count = session.scalar(sa.select(sa.func.count()).select_from(Geofence).where(where)) or 0
    answers: list[dict[str, Any]] = []
    size = 0
    while len(answers) < limit and size < MAX_PAGE:
        some = min(READ_AT_ONCE, limit - len(answers))
        rows = session.execute(_read(where, offset + len(answers), some)).all()
        size += sum(len(row.geometry) for row in rows)
        answers += [_answer(row) for row in rows]
        if len(rows) < some:
            break
    return answers, count


def export(session: Session, visibility: Visibility) -> bytes:
    """The caller's own geofences as a FeatureCollection that can be imported."""
    features = [
        {
            "type": "Feature",
            "geometry": geofence["geometry"],
            "properties": {name: geofence[name] for name in PROPERTIES},
        }
        for geofence in own_geofences(session, visibility)
    ]
    return msgspec.json.encode({"type": "FeatureCollection", "features": features})


def own_geofences(session: Session, visibility: Visibility) -> list[dict[str, Any]]:
    """Answers about the caller's own geofences, whoever's others the caller may see."""
    where = sa.false() if visibility.user_id is None else Geofence.user_id == visibility.user_id
    return [_answer(row) for row in session.execute(_read(where, 0, MAX_GEOFENCES))]


def _read(where: Any, offset: int, limit: int) -> sa.Select[Any]:
    columns = [getattr(Geofence, name) for name in COLUMNS]
    query = sa.select(*columns, sa.cast(Geofence.geometry, sa.Text).label("geometry"))
    return query.where(where).order_by(Geofence.id).offset(offset).limit(limit)


def _answer(row: Any) -> dict[str, Any]:
    return answer(GeofenceRecord, row, geometry=msgspec.Raw(row.geometry.encode()), user=row.user_id)
