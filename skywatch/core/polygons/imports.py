"""What an import of geofences contains: GeoJSON features or OpenAir airspaces become the fields of geofences.

Positions are counted before any geometry is made of them.
"""

from __future__ import annotations

import re
from typing import Any

from skywatch.core.polygons.band import HIGHEST_FT, LOWEST_FT
from skywatch.core.polygons.geometry import (
    MAX_POSITIONS,
    GeometryFault,
    parse_geometry,
    positions_in,
    without_crossings,
)
from skywatch.core.polygons.openair import FAULTS_NAMED, Airspace, Openair, parse_openair
from skywatch.core.problems import invalid, invalid_fields
from skywatch.core.text.names import all_shown
from skywatch.sentences import sentence

_FEATURE = re.compile(rb'"type"\s*:\s*"Feature"')
Fields = dict[str, Any]
Faults = dict[str, str]


def count_features(body: bytes) -> int:
    """About how many features a GeoJSON text has, without parsing it."""
    return sum(1 for _ in _FEATURE.finditer(body))


def features_of(document: Any) -> list[Any]:
    """The features of a GeoJSON document, unread; raises Problem (400) where it is none."""
    kind = document.get("type") if isinstance(document, dict) else None
    if kind == "FeatureCollection":
        features = document.get("features")
        if not isinstance(features, list):
            raise invalid("features", sentence("field.list", "must be a list"))
        return features
    if kind == "Feature":
        return [document]
    if kind in ("Polygon", "MultiPolygon"):
        return [{"type": "Feature", "geometry": document, "properties": {}}]
    raise invalid("type", sentence("area.type", "must be FeatureCollection, Feature, Polygon or MultiPolygon"))


def read_features(features: list[Any]) -> list[Fields]:
    """The fields of the geofences to create; raises Problem (400) with the faults by path."""
    geometries = [feature.get("geometry") for feature in features if isinstance(feature, dict)]
    check_positions(sum(map(positions_in, geometries)))
    entries, faults = usable_features(features)
    _refuse(faults)
    return entries


def usable_features(features: list[Any]) -> tuple[list[Fields], Faults]:
    """The fields of the features that can be used, and the faults of the others by path."""
    entries: list[Fields] = []
    faults: Faults = {}
    for index, feature in enumerate(features):
        entry, fault = _feature(feature, index)
        if fault is not None:
            faults[f"features.{index}"] = fault
        else:
            entries.append(entry)
    return entries, faults


def read_airspaces(text: str) -> tuple[list[Fields], Faults]:
    """The fields of the geofences to create from an OpenAir file, and by line what was not understood.

    Raises Problem (400) where no airspace of it can be used, or it has more than is read.
    """
    openair = parse_openair(text)
    entries, faults = usable_airspaces(openair)
    if openair.is_cut or not entries:
        _refuse(faults)
    return entries, faults


def usable_airspaces(openair: Openair) -> tuple[list[Fields], Faults]:
    """The fields of the airspaces that can be used, and by line what was not understood."""
    faults = {f"line {line}": detail for line, detail in openair.faults}
    entries: list[Fields] = []
    for airspace in openair.airspaces:
        geometry = None if airspace.is_broken else _usable(airspace, faults)
        if geometry is not None:
            name = airspace.name.strip() or f"Airspace {len(entries) + 1}"
            band = {"floor_ft": airspace.floor_ft, "ceiling_ft": airspace.ceiling_ft, "elevation_ft": None}
            entries.append({"name": name, "class": airspace.kind or None, "geometry": geometry, **band})
    return entries, faults


def _usable(airspace: Airspace, faults: Faults) -> dict[str, Any] | None:
    """The geometry of an airspace; None (and a fault) where it is none. Where arcs meet corners it may cross itself."""
    try:
        parse_geometry(airspace.geometry)
    except GeometryFault as error:
        mended = without_crossings(airspace.geometry)
        if mended is None:
            faults.setdefault(f"line {airspace.line}", f"{airspace.name[:60] or 'airspace'}: {error}")
        return mended
    return airspace.geometry


def check_positions(count: int) -> None:
    """Raise Problem (400) if one import has too many positions."""
    if count > MAX_POSITIONS:
        raise invalid(
            "geometry",
            sentence(
                "area.import_positions",
                "an import can have at most {most} positions, not {count}",
                most=MAX_POSITIONS,
                count=count,
            ),
        )


def _refuse(faults: Faults) -> None:
    if faults:
        raise invalid_fields(dict(list(faults.items())[:FAULTS_NAMED]))


def _feature(feature: Any, index: int) -> tuple[Fields, str | None]:
    if not isinstance(feature, dict) or feature.get("type") != "Feature":
        return {}, "must be a Feature"
    properties = feature.get("properties") or {}
    if not isinstance(properties, dict):
        return {}, "properties must be an object"
    try:
        parse_geometry(feature.get("geometry"))
    except GeometryFault as error:
        return {}, f"geometry {error}"
    name = properties.get("name") or properties.get("title") or f"Geofence {index + 1}"
    if not isinstance(name, str) or not all_shown(name) or len(name) > 120:
        return {}, "properties.name must be a string of at most 120 characters"
    band = {key: properties.get(key) for key in ("floor_ft", "ceiling_ft")}
    heights = {**band, "elevation_ft": properties.get("elevation_ft")}
    for key, value in heights.items():
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            return {}, f"properties.{key} must be a number"
        if value is not None and not LOWEST_FT <= value <= HIGHEST_FT:
            return {}, f"properties.{key} must be between {LOWEST_FT} and {HIGHEST_FT}"
    if None not in band.values() and band["ceiling_ft"] < band["floor_ft"]:  # type: ignore[operator]
        return {}, "properties.ceiling_ft must not be below floor_ft"
    return {"name": name, "geometry": feature["geometry"], **heights}, None
