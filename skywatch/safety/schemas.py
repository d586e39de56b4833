"""What goes into and comes out of safety events, areas and places; `thresholds.schemas` has the settings."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.http.lists.cursor import CursorQuery
from skywatch.http.lists.pagination import PageLinks, PageQuery
from skywatch.http.resources.schema import (
    IcaoAddress,
    JsonBoolean,
    JsonInteger,
    JsonList,
    JsonNumber,
    JsonObject,
    JsonString,
    Nullable,
    QueryBoolean,
    QueryString,
    Schema,
    Timestamp,
    node,
)
from skywatch.safety.detection.finding import SEVERITIES, TYPES


class Quantities(JsonObject):
    """Values with their units, by names that depend on the type of the event."""

    def openapi(self, node: colander.SchemaNode) -> dict[str, Any]:
        """Each a number or a text; one without a unit has none, or an empty one."""
        members = {"value": {"type": ["number", "string", "boolean"]}, "unit": {"type": "string"}}
        return {"type": "object", "additionalProperties": {"type": "object", "properties": members}}


class EventQuery(CursorQuery):
    kind = node(QueryString(), "Type of event.", name="type", missing=None, validator=colander.OneOf(TYPES))
    severity = node(QueryString(), "Severity.", missing=None, validator=colander.OneOf(SEVERITIES))
    icao_hex = node(IcaoAddress(), "ICAO address of the aircraft, or of the other one of a pair.", missing=None)
    acknowledged = node(QueryBoolean(), "Acknowledged ones only, or the others.", missing=None)
    active = node(QueryBoolean(), "Active ones only, or those that have ended.", missing=None)
    suppressed = node(QueryBoolean(), "Only suppressed events, or only the others.", missing=None)
    begin = node(Timestamp(), "Events that began at or after this time.", name="from", missing=None)
    end = node(Timestamp(), "Events that began before this time.", name="to", missing=None)


class EventPosition(Schema):
    """Where an event took place."""

    lat = node(JsonNumber(), "Latitude (degrees).")
    lon = node(JsonNumber(), "Longitude (degrees).")
    altitude_ft = node(Nullable(JsonInteger()), "Barometric altitude.")


class ClosestApproach(Schema):
    """The closest point of approach."""

    at = node(JsonString(), "When.")
    distance_nm = node(JsonNumber(), "Horizontal distance.")
    vertical_ft = node(JsonInteger(), "Difference of altitude.")


class SafetyEventRecord(Schema):
    """A safety event."""

    id = node(JsonInteger(), "Identifier.")
    type = node(JsonString(), "Type of the event.", validator=colander.OneOf(TYPES))
    severity = node(JsonString(), "Severity.", validator=colander.OneOf(SEVERITIES))
    icao_hex = node(Nullable(JsonString()), "The aircraft, upper case; null for events of a region.")
    icao_hex_2 = node(Nullable(JsonString()), "The other aircraft of a pair.")
    callsigns = node(JsonList(), "Callsigns of the aircraft, in their order.", node(JsonString(), "Callsign."))
    message = node(JsonString(), "The event in one sentence.")
    began_at = node(Timestamp(), "When it began.")
    ended_at = node(Nullable(Timestamp()), "When it ended; null while it is active.")
    last_at = node(Timestamp(), "When its condition last held.")
    numbers = node(Quantities(), "The values that raised it, by their names.")
    position = node(Nullable(Schema.schema_type()), "Position; null if unknown.", *EventPosition().children)
    closest = node(Nullable(Schema.schema_type()), "For proximity only.", *ClosestApproach().children)
    suppressed_by = node(JsonList(), "Why it is suppressed; empty for events that were raised.", node(JsonString(), ""))
    acknowledged = node(JsonBoolean(), "It was acknowledged.")
    acknowledged_by = node(Nullable(JsonString()), "User who acknowledged it.")
    acknowledged_at = node(Nullable(Timestamp()), "When.")


class SafetyEventList(PageLinks):
    events = node(JsonList(), "Events, the newest first.", SafetyEventRecord(name="event"))


class StatsQuery(Schema):
    begin = node(
        Timestamp(), "Events that began at or after this time; the last 24 h by default.", name="from", missing=None
    )
    end = node(Timestamp(), "Events that began before this time.", name="to", missing=None)


class SafetyStats(Schema):
    """Counts of events."""

    total = node(JsonInteger(), "Events that were raised.")
    active = node(JsonInteger(), "Events that are active now.")
    unacknowledged = node(JsonInteger(), "Raised and not acknowledged.")
    suppressed = node(JsonInteger(), "Suppressed events.")
    by_type = node(JsonObject(), "Raised events by type.")
    by_severity = node(JsonObject(), "Raised events by severity.")


class AreaQuery(Schema):
    at = node(Timestamp(), "A moment of the past; now by default.", missing=None)


class SafetyAreas(Schema):
    """Regions where navigation signals are disturbed, as GeoJSON."""

    type = node(JsonString(), "FeatureCollection.")
    features = node(JsonList(), "The regions.", node(JsonObject(), "A feature with `bad`, `good` and `share`."))
    at = node(Timestamp(), "The moment.")


class RunwayPlace(Schema):
    """Where aircraft were seen on a runway."""

    lat = node(JsonNumber(), "Latitude (degrees).")
    lon = node(JsonNumber(), "Longitude (degrees).")


class PlaceRecord(Schema):
    """What was learnt in one cell."""

    south = node(JsonNumber(), "Southern edge (degrees).")
    west = node(JsonNumber(), "Western edge (degrees).")
    size_deg = node(JsonNumber(), "Size of the cell (degrees).")
    floor_ft = node(Nullable(JsonInteger()), "Level flight below this is rare; null until there is enough data.")
    visits = node(JsonInteger(), "Visits counted.")
    runway = node(Nullable(Schema.schema_type()), "A runway, or null.", *RunwayPlace().children)
    runway_visits = node(JsonInteger(), "Aircraft seen on it.")
    updated_at = node(Timestamp(), "Last update.")


class PlaceList(PageLinks):
    places = node(JsonList(), "Cells, the latest first.", PlaceRecord(name="place"))


class PlaceQuery(PageQuery):
    runways = node(QueryBoolean(), "Cells with a runway only, or the others.", missing=None)


class ForgottenPlaces(Schema):
    """The number of forgotten places."""

    forgotten = node(JsonInteger(), "Cells.")
