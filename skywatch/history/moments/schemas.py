"""What goes into and comes out of the sky of the past."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.history.nodes import SpanQuery, optional
from skywatch.http.resources.schema import (
    JsonBoolean,
    JsonInteger,
    JsonString,
    QueryInteger,
    QueryNumber,
    Schema,
    Timestamp,
    boolean_node,
    integer_node,
    list_node,
    node,
    nullable_node,
    number_node,
    string_node,
    timestamp_node,
)
from skywatch.sentences import sentence

MAX_REPLAY_DAYS = 7
MAX_BINS = 500


class PictureQuery(Schema):
    at = timestamp_node("The moment.")


class OpenAltitude(colander.SchemaType):
    """Feet, ``ground`` or null."""

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        if cstruct is None or cstruct == "ground" or isinstance(cstruct, int):
            return cstruct
        raise colander.Invalid(node, sentence("history.altitude", "must be feet, ground or null"))

    def openapi(self, node: colander.SchemaNode) -> dict[str, Any]:
        """JSON Schema of such a value."""
        return {"anyOf": [{"type": "integer"}, {"type": "string", "enum": ["ground"]}, {"type": "null"}]}


class PastAircraft(Schema):
    """An aircraft at a moment of the past; names and units as in live data."""

    hex = string_node("ICAO address, lower case.")
    flight = nullable_node(JsonString(), "Callsign.")
    t = nullable_node(JsonString(), "ICAO type designator.")
    lat = number_node("Latitude.")
    lon = number_node("Longitude.")
    alt_baro = node(OpenAltitude(), "Barometric altitude (ft) or ground.")
    gs = nullable_node(JsonInteger(), "Ground speed (kt).")
    track = nullable_node(JsonInteger(), "Track over ground (degrees).")
    seen_pos = number_node("Age of the position (s); 0 where it lies between two received ones.")
    on_ground = boolean_node("On the ground.")
    military = boolean_node("A military aircraft.")
    flight_id = integer_node("The flight it belongs to.")
    r = optional(JsonString(), "Registration; needs aircraft.view_details.")
    simulated = optional(JsonBoolean(), "true for a simulated aircraft, else left out.")


class PastPicture(Schema):
    """The whole sky at a moment."""

    now = number_node("The moment (unix seconds).")
    aircraft = list_node(PastAircraft(name="aircraft"))
    count = integer_node("Aircraft.")


class ReplayQuery(SpanQuery):
    step_s = node(QueryNumber(), "Seconds between two moments.", missing=10.0, validator=colander.Range(0.5, 3600))


class TimelineQuery(SpanQuery):
    bins = node(QueryInteger(), "Equal parts of the span.", missing=120, validator=colander.Range(1, MAX_BINS))


class Timeline(Schema):
    """How much was recorded along a span."""

    begin = timestamp_node("Begin of the span.", name="from")
    end = timestamp_node("End of the span.", name="to")
    step_s = number_node("Length of a part (s).")
    first_at = nullable_node(Timestamp(), "The first moment at which a replay shows an aircraft; null if none does.")
    aircraft = list_node(integer_node("Flights."), "Flights under way in each part.")
