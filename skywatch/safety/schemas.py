"""What goes into and comes out of safety events, areas and places; `thresholds.schemas` has the settings."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.http.lists.cursor import CursorQuery
from skywatch.http.lists.pagination import PageLinks, PageQuery
from skywatch.http.resources.schema import (
    IcaoAddress,
    JsonInteger,
    JsonObject,
    JsonString,
    Nullable,
    QueryBoolean,
    QueryString,
    Schema,
    Timestamp,
    boolean_node,
    choice_node,
    code_node,
    integer_node,
    list_node,
    node,
    nullable_node,
    number_node,
    params_node,
    string_node,
    timestamp_node,
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
    begin = timestamp_node("Events that began at or after this time.", name="from", missing=None)
    end = timestamp_node("Events that began before this time.", name="to", missing=None)


class EventPosition(Schema):
    """Where an event took place."""

    lat = number_node("Latitude (degrees).")
    lon = number_node("Longitude (degrees).")
    altitude_ft = nullable_node(JsonInteger(), "Barometric altitude.")


class ClosestApproach(Schema):
    """The closest point of approach."""

    at = string_node("When.")
    distance_nm = number_node("Horizontal distance.")
    vertical_ft = integer_node("Difference of altitude.")


class SafetyEventRecord(Schema):
    """A safety event."""

    id = integer_node("Identifier.")
    type = choice_node(TYPES, "Type of the event.")
    severity = choice_node(SEVERITIES, "Severity.")
    icao_hex = nullable_node(JsonString(), "The aircraft, upper case; null for events of a region.")
    icao_hex_2 = nullable_node(JsonString(), "The other aircraft of a pair.")
    callsigns = list_node(string_node("Callsign."), "Callsigns of the aircraft, in their order.")
    message = string_node("The event in one sentence.")
    message_code = code_node()
    message_params = params_node()
    began_at = timestamp_node("When it began.")
    ended_at = nullable_node(Timestamp(), "When it ended; null while it is active.")
    last_at = timestamp_node("When its condition last held.")
    numbers = node(Quantities(), "The values that raised it, by their names.")
    position = node(Nullable(Schema.schema_type()), "Position; null if unknown.", *EventPosition().children)
    closest = node(Nullable(Schema.schema_type()), "For proximity only.", *ClosestApproach().children)
    suppressed_by = list_node(string_node(""), "Why it is suppressed; empty for events that were raised.")
    simulated = boolean_node("A simulated aircraft is in it: it is in no sum once a real one was heard.")
    acknowledged = boolean_node("It was acknowledged.")
    acknowledged_by = nullable_node(JsonString(), "User who acknowledged it.")
    acknowledged_at = nullable_node(Timestamp(), "When.")


class SafetyEventList(PageLinks):
    events = list_node(SafetyEventRecord(name="event"), "Events, the newest first.")


class StatsQuery(Schema):
    begin = timestamp_node(
        "Events that began at or after this time; the last 24 h by default.", name="from", missing=None
    )
    end = timestamp_node("Events that began before this time.", name="to", missing=None)


class SafetyStats(Schema):
    """Counts of events."""

    total = integer_node("Events that were raised.")
    active = integer_node("Events that are active now.")
    unacknowledged = integer_node("Raised and not acknowledged.")
    suppressed = integer_node("Suppressed events.")
    by_type = node(JsonObject(), "Raised events by type.")
    by_severity = node(JsonObject(), "Raised events by severity.")


class AreaQuery(Schema):
    at = timestamp_node("A moment of the past; now by default.", missing=None)


class SafetyAreas(Schema):
    """Regions where navigation signals are disturbed, as GeoJSON."""

    type = string_node("FeatureCollection.")
    features = list_node(node(JsonObject(), "A feature with `bad`, `good` and `share`."), "The regions.")
    at = timestamp_node("The moment.")


class RunwayPlace(Schema):
    """Where aircraft were seen on a runway."""

    lat = number_node("Latitude (degrees).")
    lon = number_node("Longitude (degrees).")


class PlaceRecord(Schema):
    """What was learnt in one cell."""

    south = number_node("Southern edge (degrees).")
    west = number_node("Western edge (degrees).")
    size_deg = number_node("Size of the cell (degrees).")
    floor_ft = nullable_node(JsonInteger(), "Level flight below this is rare; null until there is enough data.")
    visits = integer_node("Visits counted.")
    runway = node(Nullable(Schema.schema_type()), "A runway, or null.", *RunwayPlace().children)
    runway_visits = integer_node("Aircraft seen on it.")
    updated_at = timestamp_node("Last update.")


class PlaceList(PageLinks):
    places = list_node(PlaceRecord(name="place"), "Cells, the latest first.")


class PlaceQuery(PageQuery):
    runways = node(QueryBoolean(), "Cells with a runway only, or the others.", missing=None)


class ForgottenPlaces(Schema):
    """The number of forgotten places."""

    forgotten = integer_node("Cells.")
