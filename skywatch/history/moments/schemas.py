"""What goes into and comes out of the sky of the past."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.history.nodes import SpanQuery, optional
from skywatch.http.resources.schema import (
    JsonBoolean,
    JsonInteger,
    JsonList,
    JsonNumber,
    JsonString,
    Nullable,
    QueryInteger,
    QueryNumber,
    Schema,
    Timestamp,
    node,
)

MAX_REPLAY_DAYS = 7
MAX_BINS = 500


class PictureQuery(Schema):
    at = node(Timestamp(), "The moment.")


class OpenAltitude(colander.SchemaType):
    """Feet, ``ground`` or null."""

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        if cstruct is None or cstruct == "ground" or isinstance(cstruct, int):
            return cstruct
        raise colander.Invalid(node, "must be feet, ground or null")

    def openapi(self, node: colander.SchemaNode) -> dict[str, Any]:
        """JSON Schema of such a value."""
        return {"anyOf": [{"type": "integer"}, {"type": "string", "enum": ["ground"]}, {"type": "null"}]}


class PastAircraft(Schema):
    """An aircraft at a moment of the past; names and units as in live data."""

    hex = node(JsonString(), "ICAO address, lower case.")
    flight = node(Nullable(JsonString()), "Callsign.")
    t = node(Nullable(JsonString()), "ICAO type designator.")
    lat = node(JsonNumber(), "Latitude.")
    lon = node(JsonNumber(), "Longitude.")
    alt_baro = node(OpenAltitude(), "Barometric altitude (ft) or ground.")
    gs = node(Nullable(JsonInteger()), "Ground speed (kt).")
    track = node(Nullable(JsonInteger()), "Track over ground (degrees).")
    seen_pos = node(JsonNumber(), "Age of the position (s); 0 where it lies between two received ones.")
    on_ground = node(JsonBoolean(), "On the ground.")
    military = node(JsonBoolean(), "A military aircraft.")
    flight_id = node(JsonInteger(), "The flight it belongs to.")
    r = optional(JsonString(), "Registration; needs aircraft.view_details.")


class PastPicture(Schema):
    """The whole sky at a moment."""

    now = node(JsonNumber(), "The moment (unix seconds).")
    aircraft = colander.SchemaNode(JsonList(), PastAircraft(name="aircraft"))
    count = node(JsonInteger(), "Aircraft.")


class ReplayQuery(SpanQuery):
    step_s = node(QueryNumber(), "Seconds between two moments.", missing=10.0, validator=colander.Range(0.5, 3600))


class TimelineQuery(SpanQuery):
    bins = node(QueryInteger(), "Equal parts of the span.", missing=120, validator=colander.Range(1, MAX_BINS))


class Timeline(Schema):
    """How much was recorded along a span."""

    begin = node(Timestamp(), "Begin of the span.", name="from")
    end = node(Timestamp(), "End of the span.", name="to")
    step_s = node(JsonNumber(), "Length of a part (s).")
    first_at = node(Nullable(Timestamp()), "The first moment at which a replay shows an aircraft; null if none does.")
    aircraft = node(JsonList(), "Flights under way in each part.", node(JsonInteger(), "Flights."))
