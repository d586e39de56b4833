"""What goes into and comes out of flights and tracks."""

from __future__ import annotations

import colander

from skywatch.history.exports import FORMATS
from skywatch.history.nodes import optional
from skywatch.http.lists.cursor import CursorQuery
from skywatch.http.lists.pagination import PageLinks
from skywatch.http.resources.schema import (
    IcaoAddress,
    JsonBoolean,
    JsonInteger,
    JsonList,
    JsonNumber,
    JsonString,
    Nullable,
    QueryBoolean,
    QueryInteger,
    QueryNumber,
    QueryString,
    Schema,
    Timestamp,
    node,
)

MAX_TRACK_DAYS = 31


class FlightPath(Schema):
    flight_id = node(QueryInteger(), "Identifier of the flight.", validator=colander.Range(0, 2**63 - 1))


class AircraftPath(Schema):
    icao_hex = node(IcaoAddress(), "ICAO address.")


class FlightsQuery(CursorQuery):
    begin = optional(Timestamp(), "Flights that were in the air at or after this time.", name="from")
    end = optional(Timestamp(), "Flights that began at or before this time.", name="to")
    icao_hex = optional(IcaoAddress(), "ICAO address.")
    callsign = optional(
        QueryString(), "Callsign; the beginning of one with * at its end.", validator=colander.Length(max=9)
    )
    registration = optional(
        QueryString(),
        "Registration; the beginning of one with * at its end. Needs aircraft.view_details.",
        validator=colander.Length(max=13),
    )
    aircraft_type = optional(
        QueryString(),
        "ICAO type designator; the beginning of one with * at its end.",
        name="type",
        validator=colander.Length(max=5),
    )
    military = optional(QueryBoolean(), "Military flights only, or none of them.")
    emergency = optional(QueryBoolean(), "Flights with an emergency only, or none of them.")
    active = optional(QueryBoolean(), "Flights still in the air only, or finished ones.")
    min_altitude_ft = optional(QueryNumber(), "Flights that reached at least this altitude.")
    max_altitude_ft = optional(QueryNumber(), "Flights that went no higher.")


class FlightRecord(Schema):
    """One flight."""

    id = node(JsonInteger(), "Identifier.")
    icao_hex = node(JsonString(), "ICAO address, upper case.")
    callsign = node(Nullable(JsonString()), "The last callsign received.")
    registration = node(Nullable(JsonString()), "Registration; null without aircraft.view_details.")
    aircraft_type = node(Nullable(JsonString()), "ICAO type designator.")
    operator = node(Nullable(JsonString()), "Operator; null without aircraft.view_details.")
    category = node(Nullable(JsonString()), "Emitter category.")
    squawk = node(Nullable(JsonString()), "The last transponder code.")
    military = node(JsonBoolean(), "A military aircraft.")
    emergency = node(JsonBoolean(), "An emergency was declared.")
    active = node(JsonBoolean(), "Still in the air.")
    first_seen_at = node(Timestamp(), "First message.")
    last_seen_at = node(Timestamp(), "Last message.")
    duration_s = node(JsonNumber(), "Time between them (s).")
    messages = node(JsonInteger(), "Messages received.")
    positions = node(JsonInteger(), "Positions received.")
    points = node(JsonInteger(), "Points kept of them.")
    min_altitude_ft = node(Nullable(JsonInteger()), "Lowest barometric altitude.")
    max_altitude_ft = node(Nullable(JsonInteger()), "Highest barometric altitude.")
    max_speed_kt = node(Nullable(JsonNumber()), "Highest ground speed.")
    distance_nm = node(JsonNumber(), "Distance flown while received.")
    min_distance_nm = node(Nullable(JsonNumber()), "Nearest to the station.")
    max_distance_nm = node(Nullable(JsonNumber()), "Farthest from the station that its antenna heard it.")
    first_lat = node(Nullable(JsonNumber()), "First position.")
    first_lon = node(Nullable(JsonNumber()), "First position.")
    last_lat = node(Nullable(JsonNumber()), "Last position.")
    last_lon = node(Nullable(JsonNumber()), "Last position.")


class FlightList(PageLinks):
    """Flights, the newest first."""

    flights = colander.SchemaNode(JsonList(), FlightRecord(name="flight"))


class TrackQuery(Schema):
    format = node(
        QueryString(),
        "Format of the track.",
        missing="json",
        validator=colander.OneOf(["json", *(name for name in FORMATS if name != "parquet")]),
    )


class TrackPoint(Schema):
    """One point of a track; between points of one stretch the aircraft moved evenly, within the error bound."""

    at = node(Timestamp(), "When.")
    lat = node(JsonNumber(), "Latitude.")
    lon = node(JsonNumber(), "Longitude.")
    altitude_ft = node(Nullable(JsonInteger()), "Barometric altitude; null on the ground or where unknown.")
    speed_kt = node(Nullable(JsonInteger()), "Ground speed.")
    track_deg = node(Nullable(JsonInteger()), "Track over ground.")
    on_ground = node(JsonBoolean(), "On the ground.")
    gap = node(JsonBoolean(), "Nothing was received between the point before and this one.")


class AircraftTrack(Schema):
    """The points of an aircraft in a span of time."""

    icao_hex = node(JsonString(), "ICAO address, upper case.")
    begin = node(Timestamp(), "Begin of the span.", name="from")
    end = node(Timestamp(), "End of the span.", name="to")
    points = colander.SchemaNode(JsonList(), TrackPoint(name="point"))
    count = node(JsonInteger(), "Points.")


class FlightTrack(Schema):
    """A flight with the points of its track."""

    flight = FlightRecord()
    points = colander.SchemaNode(JsonList(), TrackPoint(name="point"))
    count = node(JsonInteger(), "Points.")
