"""The rules of geofences: ownership, limits, import and export; one that a rule uses cannot be deleted."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session, defer

from skywatch.alerts.access import (
    MAXIMUM_GEOFENCES,
    MAXIMUM_GEOMETRY,
    check_room,
    check_sum,
    fetch,
    json_length,
    owner_id,
)
from skywatch.alerts.conditions.fields import Kind
from skywatch.alerts.models import Geofence
from skywatch.alerts.rules.references import check_unused
from skywatch.alerts.rules.revision import raise_revision
from skywatch.core.areas.importing import features_of, read_airspaces, read_features
from skywatch.core.areas.openair import count_airspaces
from skywatch.core.clock import utcnow
from skywatch.core.problems import invalid
from skywatch.core.storing.audit import Actor, Target, record
from skywatch.security.visibility import Visibility

MEMBERS = ("name", "geometry", "floor_ft", "ceiling_ft")
RECORD = ("id", *MEMBERS, "created_at", "updated_at")


class GeofenceService:
    """Geofences as one caller may see and change them."""

    def __init__(self, session: Session, visibility: Visibility, actor: Actor) -> None:
        self.session = session
        self.visibility = visibility
        self.actor = actor

    def get(self, geofence_id: int) -> Geofence:
        """A geofence; raises Problem (404) if it is not the caller's."""
        return fetch(self.session, Geofence, geofence_id, self.visibility, "geofence")

    def create(self, values: Mapping[str, Any]) -> Geofence:
        """Create a geofence; raises Problem (400, 401, 409)."""
        row = self.add(values)
        raise_revision(self.session)
        self._record("geofence.created", row, after=_audited(row))
        return row

    def add(self, values: Mapping[str, Any]) -> Geofence:
        """``create`` as part of a larger change, which records itself."""
        return self._add_all([values])[0]

    def _add_all(self, entries: Sequence[Mapping[str, Any]]) -> list[Geofence]:
        user_id = owner_id(self.visibility)
        self.check_count(len(entries))
        self._check_size(user_id, entries)
        now = utcnow()
        rows = []
        for values in entries:
            _check_band(values)
            row = Geofence(user_id=user_id, created_at=now, updated_at=now, **{name: values[name] for name in MEMBERS})
            rows.append(row)
        self.session.add_all(rows)
        self.session.flush()
        return rows

    def change(self, geofence_id: int, values: Mapping[str, Any]) -> Geofence:
        """Change a geofence; rules that use it are tested with its new shape from then on."""
        row = self.get(geofence_id)
        before = _audited(row)
        after = {name: values.get(name, getattr(row, name)) for name in MEMBERS}
        _check_band(after)
        if "geometry" in values:
            self._check_size(row.user_id, [values], row.id)
        for name, value in after.items():
            setattr(row, name, value)
        row.revision += 1
        row.updated_at = utcnow()
        raise_revision(self.session)
        changed = _audited(row) | ({"geometry_changed": True} if "geometry" in values else {})
        self._record("geofence.changed", row, before=before, after=changed)
        return row

    def delete(self, geofence_id: int) -> None:
        """Delete a geofence; raises Problem (409) if a rule uses it."""
        row = fetch(self.session, Geofence, geofence_id, self.visibility, "geofence", defer(Geofence.geometry))
        check_unused(self.session, Kind.GEOFENCE, row.id, row.user_id, "geofence")
        self.session.delete(row)
        raise_revision(self.session)
        self._record("geofence.deleted", row, before=_audited(row))

    def import_geojson(self, document: Any) -> list[Geofence]:
        """Create the geofences of a GeoJSON FeatureCollection, Feature or geometry, all or none.

        They are counted before any is read.
        """
        features = features_of(document)
        self.check_count(len(features))
        return self._import(read_features(features))

    def import_openair(self, text: str) -> list[Geofence]:
        """Create the geofences of an OpenAir file, all or none; they are counted before any is read."""
        self.check_count(count_airspaces(text))
        return self._import(read_airspaces(text))

    def _import(self, entries: Sequence[Mapping[str, Any]]) -> list[Geofence]:
        rows = self._add_all(entries)
        raise_revision(self.session)
        record(self.session, self.actor, "geofence.imported", Target("geofence"), after={"count": len(rows)})
        return rows

    def check_count(self, more: int) -> None:
        """Raise Problem (401, 409) if the caller cannot have so many more."""
        check_room(self.session, Geofence, owner_id(self.visibility), MAXIMUM_GEOFENCES, "geofences", more)

    def _check_size(self, user_id: int, entries: Sequence[Mapping[str, Any]], replaced: int = 0) -> None:
        """Raise Problem (409) if the user's geometries would be too large with these in place of one."""
        more = sum(len(json.dumps(values["geometry"])) for values in entries)
        others = sa.and_(Geofence.user_id == user_id, Geofence.id != replaced)
        noun = "characters of geometry in geofences"
        check_sum(self.session, json_length(Geofence.geometry), others, MAXIMUM_GEOMETRY, noun, more)

    def _record(self, action: str, row: Geofence, **states: Mapping[str, Any]) -> None:
        record(self.session, self.actor, action, Target("geofence", row.id, row.name), **states)


def _audited(row: Geofence) -> dict[str, Any]:
    """A geofence without its geometry: the audit log is no place for where people live."""
    return {name: getattr(row, name) for name in ("user_id", "name", "floor_ft", "ceiling_ft")}


def record_of(row: Geofence) -> dict[str, Any]:
    """The record of a geofence."""
    return {**{name: getattr(row, name) for name in RECORD}, "user": row.user_id}


def _check_band(values: Mapping[str, Any]) -> None:
    floor_ft, ceiling_ft = values["floor_ft"], values["ceiling_ft"]
    if floor_ft is not None and ceiling_ft is not None and ceiling_ft < floor_ft:
        raise invalid("ceiling_ft", "must not be below floor_ft")
