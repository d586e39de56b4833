"""What goes into and comes out of flights and tracks."""

from __future__ import annotations

import colander

from skywatch.history.exports import FORMATS
from skywatch.history.nodes import optional
from skywatch.http.lists.cursor import CursorQuery
from skywatch.http.lists.pagination import PageLinks
from skywatch.http.resources.schema import (
    IcaoAddress,
    JsonInteger,
    JsonNumber,
    JsonString,
    QueryBoolean,
    QueryInteger,
    QueryNumber,
    QueryString,
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

    id = integer_node("Identifier.")
    icao_hex = string_node("ICAO address, upper case.")
    callsign = nullable_node(JsonString(), "The last callsign received.")
    registration = nullable_node(JsonString(), "Registration; null without aircraft.view_details.")
    aircraft_type = nullable_node(JsonString(), "ICAO type designator.")
    operator = nullable_node(JsonString(), "Operator; null without aircraft.view_details.")
    category = nullable_node(JsonString(), "Emitter category.")
    squawk = nullable_node(JsonString(), "The last transponder code.")
    military = boolean_node("A military aircraft.")
    emergency = boolean_node("An emergency was declared.")
    active = boolean_node("Still in the air.")
    simulated = boolean_node("Of a simulated aircraft: it is in no sum once a real one was heard.")
    first_seen_at = timestamp_node("First message.")
    last_seen_at = timestamp_node("Last message.")
    duration_s = number_node("Time between them (s).")
    messages = integer_node("Messages received.")
    positions = integer_node("Positions received.")
    points = integer_node("Points kept of them.")
    min_altitude_ft = nullable_node(JsonInteger(), "Lowest barometric altitude.")
    max_altitude_ft = nullable_node(JsonInteger(), "Highest barometric altitude.")
    max_speed_kt = nullable_node(JsonNumber(), "Highest ground speed.")
    distance_nm = number_node("Distance flown while received.")
    min_distance_nm = nullable_node(JsonNumber(), "Nearest to the station.")
    max_distance_nm = nullable_node(JsonNumber(), "Farthest from the station that its antenna heard it.")
    first_lat = nullable_node(JsonNumber(), "First position.")
    first_lon = nullable_node(JsonNumber(), "First position.")
    last_lat = nullable_node(JsonNumber(), "Last position.")
    last_lon = nullable_node(JsonNumber(), "Last position.")


class FlightList(PageLinks):
    """Flights, the newest first."""

    flights = list_node(FlightRecord(name="flight"))


class TrackQuery(Schema):
    format = node(
        QueryString(),
        "Format of the track.",
        missing="json",
        validator=colander.OneOf(["json", *(name for name in FORMATS if name != "parquet")]),
    )


class TrackPoint(Schema):
    """One point of a track; between points of one stretch the aircraft moved evenly, within the error bound."""

    at = timestamp_node("When.")
    lat = number_node("Latitude.")
    lon = number_node("Longitude.")
    altitude_ft = nullable_node(JsonInteger(), "Barometric altitude; null on the ground or where unknown.")
    speed_kt = nullable_node(JsonInteger(), "Ground speed.")
    track_deg = nullable_node(JsonInteger(), "Track over ground.")
    on_ground = boolean_node("On the ground.")
    gap = boolean_node("Nothing was received between the point before and this one.")


class AircraftTrack(Schema):
    """The points of an aircraft in a span of time."""

    icao_hex = string_node("ICAO address, upper case.")
    begin = timestamp_node("Begin of the span.", name="from")
    end = timestamp_node("End of the span.", name="to")
    points = list_node(TrackPoint(name="point"))
    count = integer_node("Points.")


class FlightTrack(Schema):
    """A flight with the points of its track."""

    flight = FlightRecord()
    points = list_node(TrackPoint(name="point"))
    count = integer_node("Points.")
