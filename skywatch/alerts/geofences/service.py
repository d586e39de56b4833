"""The rules of geofences: ownership, limits, import and export; one that a rule uses cannot be deleted."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.orm import Session, defer

from skywatch.alerts.access import (
    MAX_GEOFENCES,
    MAX_GEOMETRY,
    check_room,
    check_sum,
    fetch,
    json_length,
    owner_id,
)
from skywatch.alerts.conditions.fields import Kind
from skywatch.alerts.geofences.schemas import GeofenceChangeFields, GeofenceRecord, NewGeofenceFields
from skywatch.alerts.hooks import GeofenceUse
from skywatch.alerts.models import Geofence
from skywatch.alerts.references import NAMED, check_unused
from skywatch.alerts.revision import raise_revision
from skywatch.core.clock import utcnow
from skywatch.core.feature import FeatureSet
from skywatch.core.polygons.imports import Faults, features_of, read_airspaces, read_features
from skywatch.core.polygons.openair import count_airspaces
from skywatch.core.problems import Problem, invalid
from skywatch.core.storage.audit import Actor, Target, record
from skywatch.http.resources.answer import answer
from skywatch.http.resources.fields import UNSET
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence

MEMBERS = NewGeofenceFields.__struct_fields__


def get(session: Session, visibility: Visibility, geofence_id: int) -> Geofence:
    """A geofence; raises Problem (404) if it is not the caller's."""
    return fetch(session, Geofence, geofence_id, visibility, sentence("thing.geofence", "geofence"))


def create(session: Session, visibility: Visibility, actor: Actor, fields: NewGeofenceFields) -> Geofence:
    """Create a geofence; raises Problem (400, 401, 409)."""
    row = add(session, visibility, fields)
    raise_revision(session)
    _record(session, actor, "geofence.created", row, after=_audited(row))
    return row


def add(session: Session, visibility: Visibility, fields: NewGeofenceFields) -> Geofence:
    """``create`` as part of a larger change, which records itself."""
    return _add_all(session, visibility, [fields])[0]


def _add_all(session: Session, visibility: Visibility, entries: Sequence[NewGeofenceFields]) -> list[Geofence]:
    user_id = owner_id(visibility)
    check_count(session, visibility, len(entries))
    _check_size(session, user_id, [fields.geometry for fields in entries])
    now = utcnow()
    rows = []
    for fields in entries:
        _check_band(fields)
        rows.append(Geofence(user_id=user_id, created_at=now, updated_at=now, **fields.given()))
    session.add_all(rows)
    session.flush()
    return rows


def change(
    session: Session, visibility: Visibility, actor: Actor, geofence_id: int, fields: GeofenceChangeFields
) -> Geofence:
    """Change a geofence; rules that use it are tested with its new shape from then on."""
    row = get(session, visibility, geofence_id)
    before = _audited(row)
    present = NewGeofenceFields(**{name: getattr(row, name) for name in MEMBERS})
    after = msgspec.structs.replace(present, **fields.given())
    _check_band(after)
    if fields.geometry is not UNSET:
        _check_size(session, row.user_id, [fields.geometry], row.id)
    for name, value in after.given().items():
        setattr(row, name, value)
    row.revision += 1
    row.updated_at = utcnow()
    raise_revision(session)
    changed = _audited(row) | ({"geometry_changed": True} if fields.geometry is not UNSET else {})
    _record(session, actor, "geofence.changed", row, before=before, after=changed)
    return row


def delete(session: Session, visibility: Visibility, actor: Actor, geofence_id: int, features: FeatureSet) -> None:
    """Delete a geofence; raises Problem (409) if a rule or a report uses it."""
    row = fetch(
        session, Geofence, geofence_id, visibility, sentence("thing.geofence", "geofence"), defer(Geofence.geometry)
    )
    check_unused(session, Kind.GEOFENCE, row.id, row.user_id, sentence("thing.geofence", "geofence"))
    reports = [name for use in features.provided(GeofenceUse) for name in use.reports(session, row.id)]
    if reports:
        names = ", ".join(reports[:NAMED])
        detail = sentence("alerts.used_by_reports", "The geofence is used by the reports {names}.", names=names)
        raise Problem("conflict", detail)
    session.delete(row)
    raise_revision(session)
    _record(session, actor, "geofence.deleted", row, before=_audited(row))


def import_geojson(session: Session, visibility: Visibility, actor: Actor, document: Any) -> list[Geofence]:
    """Create the geofences of a GeoJSON FeatureCollection, Feature or geometry, all or none.

    They are counted before any is read.
    """
    features = features_of(document)
    check_count(session, visibility, len(features))
    return _import(session, visibility, actor, read_features(features))


def import_openair(session: Session, visibility: Visibility, actor: Actor, text: str) -> tuple[list[Geofence], Faults]:
    """Create the geofences of an OpenAir file; they are counted before any is read.

    Returns them and by line what was not understood; raises Problem (400) where nothing can be used.
    """
    check_count(session, visibility, count_airspaces(text))
    entries, faults = read_airspaces(text)
    return _import(session, visibility, actor, entries), faults


def check_count(session: Session, visibility: Visibility, more: int) -> None:
    """Raise Problem (401, 409) if the caller cannot have so many more."""
    check_room(session, Geofence, owner_id(visibility), MAX_GEOFENCES, sentence("thing.geofences", "geofences"), more)


def geofence_answer(row: Geofence) -> dict[str, Any]:
    """A geofence as the API answers it."""
    return answer(GeofenceRecord, row, user=row.user_id)


def _import(
    session: Session, visibility: Visibility, actor: Actor, entries: Sequence[Mapping[str, Any]]
) -> list[Geofence]:
    # An airspace has a class besides, which a geofence has not.
    fields = [NewGeofenceFields(**{name: entry[name] for name in MEMBERS}) for entry in entries]
    rows = _add_all(session, visibility, fields)
    raise_revision(session)
    record(session, actor, "geofence.imported", Target("geofence"), after={"count": len(rows)})
    return rows


def _check_size(session: Session, user_id: int, geometries: Sequence[Mapping[str, Any]], replaced: int = 0) -> None:
    """Raise Problem (409) if the user's geometries would be too large with these in place of one."""
    more = sum(len(json.dumps(geometry)) for geometry in geometries)
    others = sa.and_(Geofence.user_id == user_id, Geofence.id != replaced)
    noun = sentence("thing.geometry_characters", "characters of geometry in geofences")
    check_sum(session, json_length(Geofence.geometry), others, MAX_GEOMETRY, noun, more)


def _check_band(fields: NewGeofenceFields) -> None:
    if fields.floor_ft is not None and fields.ceiling_ft is not None and fields.ceiling_ft < fields.floor_ft:
        raise invalid("ceiling_ft", sentence("alerts.ceiling_below_floor", "must not be below floor_ft"))


def _record(session: Session, actor: Actor, action: str, row: Geofence, **states: Mapping[str, Any]) -> None:
    record(session, actor, action, Target("geofence", row.id, row.name), **states)


def _audited(row: Geofence) -> dict[str, Any]:
    """A geofence without its geometry: the audit log is no place for where people live."""
    return {name: getattr(row, name) for name in ("user_id", "name", "floor_ft", "ceiling_ft", "elevation_ft")}
