"""The rules of geofences: ownership, import and export; one that a rule uses cannot be deleted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.alerts.access import MAXIMUM_GEOFENCES, check_room, fetch, own, owner_id
from skywatch.alerts.conditions.fields import Kind
from skywatch.alerts.geofences.band import HIGHEST_FT, LOWEST_FT
from skywatch.alerts.geofences.geometry import GeometryFault, parse_geometry
from skywatch.alerts.geofences.openair import parse_openair
from skywatch.alerts.models import Geofence
from skywatch.alerts.references import check_unused
from skywatch.alerts.revision import raise_revision
from skywatch.core.clock import utcnow
from skywatch.core.problems import invalid, invalid_fields
from skywatch.security.visibility import Visibility

MEMBERS = ("name", "geometry", "floor_ft", "ceiling_ft")
PROPERTIES = ("id", "name", "floor_ft", "ceiling_ft")
# Largest number of faults of an import in an answer.
FAULTS_NAMED = 200


class GeofenceService:
    """Geofences as one caller may see and change them."""

    def __init__(self, session: Session, may: Visibility) -> None:
        self.session = session
        self.may = may

    def all(self) -> Sequence[Geofence]:
        """The caller's geofences (everybody's with ``alerts.manage_all``), by id."""
        return self.session.scalars(sa.select(Geofence).where(own(Geofence, self.may)).order_by(Geofence.id)).all()

    def get(self, geofence_id: int) -> Geofence:
        """A geofence; raises Problem (404) if it is not the caller's."""
        return fetch(self.session, Geofence, geofence_id, self.may, "geofence")

    def create(self, values: Mapping[str, Any]) -> Geofence:
        """Create a geofence; raises Problem (400, 401, 409)."""
        return self.create_all([values])[0]

    def create_all(self, entries: Sequence[Mapping[str, Any]]) -> list[Geofence]:
        """Create geofences, all or none; raises Problem (400, 401, 409)."""
        user_id = owner_id(self.may)
        check_room(self.session, Geofence, user_id, MAXIMUM_GEOFENCES, "geofences", len(entries))
        now = utcnow()
        rows = []
        for values in entries:
            _check_band(values)
            row = Geofence(user_id=user_id, created_at=now, updated_at=now, **{name: values[name] for name in MEMBERS})
            rows.append(row)
        self.session.add_all(rows)
        self.session.flush()
        raise_revision(self.session)
        return rows

    def change(self, geofence_id: int, values: Mapping[str, Any]) -> Geofence:
        """Change a geofence; rules that use it are tested with its new shape from then on."""
        row = self.get(geofence_id)
        after = {name: values.get(name, getattr(row, name)) for name in MEMBERS}
        _check_band(after)
        for name, value in after.items():
            setattr(row, name, value)
        row.revision += 1
        row.updated_at = utcnow()
        raise_revision(self.session)
        return row

    def delete(self, geofence_id: int) -> None:
        """Delete a geofence; raises Problem (409) if a rule uses it."""
        row = self.get(geofence_id)
        check_unused(self.session, Kind.GEOFENCE, row.id, row.user_id, "geofence")
        self.session.delete(row)
        raise_revision(self.session)

    def import_geojson(self, document: Any) -> list[Geofence]:
        """Create the geofences of a GeoJSON FeatureCollection, Feature or geometry, all or none."""
        entries, faults = _features(document)
        if faults:
            raise invalid_fields(dict(list(faults.items())[:FAULTS_NAMED]))
        return self.create_all(entries)

    def import_openair(self, text: str) -> list[Geofence]:
        """Create the geofences of an OpenAir file, all or none."""
        airspaces, line_faults = parse_openair(text)
        faults = {f"line {line}": detail for line, detail in line_faults}
        entries: list[dict[str, Any]] = []
        for airspace in airspaces:
            try:
                parse_geometry(airspace.geometry)
            except GeometryFault as error:
                faults.setdefault(f"line {airspace.line}", f"{airspace.name[:60] or 'airspace'}: {error}")
            name = airspace.name.strip() or f"Airspace {len(entries) + 1}"
            band = {"floor_ft": airspace.floor_ft, "ceiling_ft": airspace.ceiling_ft}
            entries.append({"name": name, "geometry": airspace.geometry, **band})
        if faults:
            raise invalid_fields(dict(list(faults.items())[:FAULTS_NAMED]))
        return self.create_all(entries)


def as_geojson(rows: Sequence[Geofence]) -> dict[str, Any]:
    """A FeatureCollection that ``import_geojson`` accepts."""
    return {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "geometry": row.geometry,
                "properties": {name: getattr(row, name) for name in PROPERTIES},
            }
            for row in rows
        ],
    }


def record_of(row: Geofence) -> dict[str, Any]:
    """The record of a geofence."""
    members = ("id", *MEMBERS, "created_at", "updated_at")
    return {**{name: getattr(row, name) for name in members}, "user": row.user_id}


def _check_band(values: Mapping[str, Any]) -> None:
    floor_ft, ceiling_ft = values["floor_ft"], values["ceiling_ft"]
    if floor_ft is not None and ceiling_ft is not None and ceiling_ft < floor_ft:
        raise invalid("ceiling_ft", "must not be below floor_ft")


def _features(document: Any) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The fields of the geofences to create, and the faults by path."""
    kind = document.get("type") if isinstance(document, dict) else None
    if kind == "FeatureCollection":
        features = document.get("features")
        if not isinstance(features, list):
            return [], {"features": "must be a list"}
    elif kind == "Feature":
        features = [document]
    elif kind in ("Polygon", "MultiPolygon"):
        features = [{"type": "Feature", "geometry": document, "properties": {}}]
    else:
        return [], {"type": "must be FeatureCollection, Feature, Polygon or MultiPolygon"}
    entries: list[dict[str, Any]] = []
    faults: dict[str, str] = {}
    for place, feature in enumerate(features):
        entry, fault = _feature(feature, place)
        if fault is not None:
            faults[f"features.{place}"] = fault
        else:
            entries.append(entry)
    return entries, faults


def _feature(feature: Any, place: int) -> tuple[dict[str, Any], str | None]:
    if not isinstance(feature, dict) or feature.get("type") != "Feature":
        return {}, "must be a Feature"
    properties = feature.get("properties") or {}
    if not isinstance(properties, dict):
        return {}, "properties must be an object"
    try:
        parse_geometry(feature.get("geometry"))
    except GeometryFault as error:
        return {}, f"geometry {error}"
    name = properties.get("name") or properties.get("title") or f"Geofence {place + 1}"
    if not isinstance(name, str) or not name.isprintable() or len(name) > 120:
        return {}, "properties.name must be a string of at most 120 characters"
    band = {key: properties.get(key) for key in ("floor_ft", "ceiling_ft")}
    for key, value in band.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            return {}, f"properties.{key} must be a number"
        if value is not None and not LOWEST_FT <= value <= HIGHEST_FT:
            return {}, f"properties.{key} must be between {LOWEST_FT} and {HIGHEST_FT}"
    if None not in band.values() and band["ceiling_ft"] < band["floor_ft"]:  # type: ignore[operator]
        return {}, "properties.ceiling_ft must not be below floor_ft"
    return {"name": name, "geometry": feature["geometry"], **band}, None
