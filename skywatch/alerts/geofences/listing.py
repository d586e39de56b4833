"""Lists and exports of geofences, whose geometries go from the database to the answer as the JSON texts they are.

Parsing and encoding them each time would be nearly all that such an answer costs.
"""

from __future__ import annotations

from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.alerts.access import MAXIMUM_GEOFENCES, own
from skywatch.alerts.geofences.service import RECORD
from skywatch.alerts.models import Geofence
from skywatch.security.visibility import Visibility

PROPERTIES = ("id", "name", "floor_ft", "ceiling_ft")
# A page ends where its geometries have so many characters; until then rows are read so many at a time.
LARGEST_PAGE, READ_AT_ONCE = 8_000_000, 50


def page_of_geofences(
    session: Session, visibility: Visibility, offset: int, limit: int
) -> tuple[list[dict[str, Any]], int]:
    """Records of the caller's geofences (everybody's with ``alerts.manage_all``), by id, and the count of all.

    There are fewer than ``limit`` where the geometries are large.
    """
    where = own(Geofence, visibility)
    count = session.scalar(sa.select(sa.func.count()).select_from(Geofence).where(where)) or 0
    records: list[dict[str, Any]] = []
    size = 0
    while len(records) < limit and size < LARGEST_PAGE:
        wanted = min(READ_AT_ONCE, limit - len(records))
        rows = session.execute(_read(where, offset + len(records), wanted)).all()
        size += sum(len(row.geometry) for row in rows)
        records += [_record(row) for row in rows]
        if len(rows) < wanted:
            break
    return records, count


def export(session: Session, visibility: Visibility) -> bytes:
    """The caller's own geofences as a FeatureCollection that can be imported."""
    features = [
        {
            "type": "Feature",
            "geometry": record["geometry"],
            "properties": {name: record[name] for name in PROPERTIES},
        }
        for record in own_geofences(session, visibility)
    ]
    return msgspec.json.encode({"type": "FeatureCollection", "features": features})


def own_geofences(session: Session, visibility: Visibility) -> list[dict[str, Any]]:
    """Records of the caller's own geofences, whoever's others the caller may see."""
    where = sa.false() if visibility.user_id is None else Geofence.user_id == visibility.user_id
    return [_record(row) for row in session.execute(_read(where, 0, MAXIMUM_GEOFENCES))]


def _read(where: Any, offset: int, limit: int) -> sa.Select[Any]:
    columns = [getattr(Geofence, name) for name in (*RECORD, "user_id") if name != "geometry"]
    query = sa.select(*columns, sa.cast(Geofence.geometry, sa.Text).label("geometry"))
    return query.where(where).order_by(Geofence.id).offset(offset).limit(limit)


def _record(row: Any) -> dict[str, Any]:
    record = {name: getattr(row, name) for name in RECORD}
    return {**record, "geometry": msgspec.Raw(row.geometry.encode()), "user": row.user_id}
