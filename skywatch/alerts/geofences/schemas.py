"""The schemas of the resources of geofences."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.alerts.types import Geometry, name_node
from skywatch.core.polygons.band import HIGHEST_FT, LOWEST_FT
from skywatch.http.lists.pagination import PageLinks
from skywatch.http.resources.fields import UNSET, Fields, UnsetType
from skywatch.http.resources.schema import (
    JsonNumber,
    JsonSequence,
    Nullable,
    RangeOrNull,
    Schema,
    choice_node,
    code_node,
    integer_node,
    node,
    nullable_node,
    params_node,
    string_node,
    timestamp_node,
)


def _altitude(description: str, missing: Any) -> colander.SchemaNode:
    return nullable_node(JsonNumber(), description, missing=missing, validator=RangeOrNull(LOWEST_FT, HIGHEST_FT))


class NewGeofenceFields(Fields):
    """A geofence to create; ``geometry`` is GeoJSON."""

    name: str
    geometry: dict[str, Any]
    floor_ft: float | None = None
    ceiling_ft: float | None = None
    elevation_ft: float | None = None


class GeofenceChangeFields(Fields):
    """The members of a geofence to change."""

    name: str | UnsetType = UNSET
    geometry: dict[str, Any] | UnsetType = UNSET
    floor_ft: float | UnsetType | None = UNSET
    ceiling_ft: float | UnsetType | None = UNSET
    elevation_ft: float | UnsetType | None = UNSET


class NewGeofence(Schema):
    """A geofence to create."""

    struct = NewGeofenceFields

    name = name_node()
    geometry = node(
        Geometry(), "GeoJSON Polygon or MultiPolygon; an edge of more than 180 degrees crosses the antimeridian."
    )
    floor_ft = _altitude("Lowest altitude (ft); null is none.", None)
    ceiling_ft = _altitude("Highest altitude (ft); null is none.", None)
    elevation_ft = _altitude("Elevation of the ground (ft); null is unknown.", None)


class GeofenceChange(Schema):
    """The fields of a geofence to change."""

    struct = GeofenceChangeFields

    name = name_node(missing=colander.drop)
    geometry = node(Geometry(), missing=colander.drop)
    floor_ft = _altitude("Lowest altitude (ft); null is none.", colander.drop)
    ceiling_ft = _altitude("Highest altitude (ft); null is none.", colander.drop)
    elevation_ft = _altitude("Elevation of the ground (ft); null is unknown.", colander.drop)


class GeoJson(colander.MappingSchema):
    """An object of GeoJSON, which may have further members."""

    @staticmethod
    def schema_type(**kw: Any) -> colander.SchemaType:
        return colander.Mapping(unknown="preserve")


class GeofenceFeature(GeoJson):
    """A geofence as a Feature; without a name it gets a numbered one."""

    type = choice_node(["Feature"])
    geometry = node(Geometry(), "Polygon or MultiPolygon.")
    properties = node(
        Nullable(colander.Mapping(unknown="preserve")),
        "",
        string_node(name="name", validator=colander.Length(max=120), missing=colander.drop),
        nullable_node(JsonNumber(), name="floor_ft", missing=colander.drop),
        nullable_node(JsonNumber(), name="ceiling_ft", missing=colander.drop),
        nullable_node(JsonNumber(), name="elevation_ft", missing=colander.drop),
        missing=colander.drop,
    )


class GeofenceFeatures(JsonSequence):
    feature = GeofenceFeature()


class GeofenceCollection(GeoJson):
    """Geofences as a FeatureCollection; a single Feature, Polygon or MultiPolygon is taken too."""

    type = choice_node(["FeatureCollection"])
    features = GeofenceFeatures()


class GeofenceRecord(Schema):
    """A geofence."""

    id = integer_node()
    user = integer_node("Id of its owner.")
    name = string_node()
    geometry = node(Geometry())
    floor_ft = nullable_node(JsonNumber())
    ceiling_ft = nullable_node(JsonNumber())
    elevation_ft = nullable_node(JsonNumber(), "Elevation of the ground, from which overflights are measured.")
    created_at = timestamp_node()
    updated_at = timestamp_node()


class GeofenceSequence(JsonSequence):
    geofence = GeofenceRecord()


class GeofenceList(PageLinks):
    """A page of geofences."""

    geofences = GeofenceSequence()


class RefusedRecord(Schema):
    """A line of an OpenAir file that was not understood."""

    line = integer_node()
    detail = string_node()
    detail_code = code_node()
    detail_params = params_node()


class RefusedRecords(JsonSequence):
    refused_record = RefusedRecord()


class GeofencesImported(Schema):
    """The imported geofences."""

    geofences = GeofenceSequence()
    count = integer_node()
    refused = RefusedRecords(description="What was not understood of an OpenAir file; empty for GeoJSON.")
