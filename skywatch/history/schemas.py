"""What goes into and comes out of the history resources."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.history.exports import FORMATS
from skywatch.http.cursor import CursorQuery
from skywatch.http.paging import PageLinks
from skywatch.http.schema import (
    IcaoAddress,
    JsonBoolean,
    JsonInteger,
    JsonList,
    JsonNumber,
    JsonString,
    Nullable,
    QueryBoolean,
    QueryBox,
    QueryInteger,
    QueryNumber,
    QueryString,
    Schema,
    Timestamp,
)

LONGEST_TRACK_DAYS = 31
LONGEST_REPLAY_DAYS = 7
LONGEST_ANALYSIS_DAYS = 31


def node(typ: colander.SchemaType, meaning: str, **kw: Any) -> colander.SchemaNode:
    """A described node."""
    return colander.SchemaNode(typ, description=meaning, **kw)


def optional(typ: colander.SchemaType, meaning: str, **kw: Any) -> colander.SchemaNode:
    """A described node that may be left out."""
    return node(typ, meaning, missing=None, **kw)


class SpanQuery(Schema):
    """A span of time; views say what it is by default and how long it may be."""

    begin = optional(Timestamp(), "Begin of the span.", name="from")
    end = optional(Timestamp(), "End of the span.", name="to")


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
        QueryString(), "Registration; needs aircraft.view_details.", validator=colander.Length(max=12)
    )
    aircraft_type = optional(QueryString(), "ICAO type designator.", name="type", validator=colander.Length(max=4))
    military = optional(QueryBoolean(), "Military flights only, or none of them.")
    emergency = optional(QueryBoolean(), "Flights with an emergency only, or none of them.")
    active = optional(QueryBoolean(), "Flights still in the air only, or finished ones.")
    min_altitude_ft = optional(QueryNumber(), "Flights that reached at least this altitude.")
    max_altitude_ft = optional(QueryNumber(), "Flights that went no higher.")


class FlightRecord(Schema):
    """One flight."""

    id = node(JsonInteger(), "Identifier.")
    icao_hex = node(JsonString(), "ICAO address, upper case.")
    callsign = node(Nullable(JsonString()), "The last callsign that was heard.")
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
    max_distance_nm = node(Nullable(JsonNumber()), "Farthest from the station.")
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
        return {"anyOf": [{"type": "integer"}, {"const": "ground"}, {"type": "null"}]}


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


class ExportQuery(SpanQuery):
    format = node(QueryString(), "Format.", missing="csv", validator=colander.OneOf(list(FORMATS)))
    icao_hex = optional(IcaoAddress(), "One aircraft only.")


class Change(Schema):
    """The change against the span of the same length before, in percent; null where there was nothing."""

    flights = node(Nullable(JsonNumber()), "Flights.")
    aircraft = node(Nullable(JsonNumber()), "Different aircraft.")
    positions = node(Nullable(JsonNumber()), "Positions.")


class Day(Schema):
    """One day (UTC)."""

    date = node(JsonString(), "The day.")
    flights = node(JsonInteger(), "Flights that began on it.")
    aircraft = node(JsonInteger(), "Different aircraft.")
    positions = node(JsonInteger(), "Positions received of these flights.")


class TypeCount(Schema):
    type = node(JsonString(), "ICAO type designator.")
    flights = node(JsonInteger(), "Flights.")


class OperatorCount(Schema):
    operator = node(JsonString(), "The first three letters of callsigns.")
    flights = node(JsonInteger(), "Flights.")


class AircraftCount(Schema):
    icao_hex = node(JsonString(), "ICAO address.")
    flights = node(JsonInteger(), "Flights.")


class HistoryStatistics(Schema):
    """Counts and trends of a span."""

    begin = node(Timestamp(), "Begin of the span.", name="from")
    end = node(Timestamp(), "End of the span.", name="to")
    flights = node(JsonInteger(), "Flights.")
    aircraft = node(JsonInteger(), "Different aircraft.")
    positions = node(JsonInteger(), "Positions received.")
    messages = node(JsonInteger(), "Messages received.")
    military_flights = node(JsonInteger(), "Flights of military aircraft.")
    emergency_flights = node(JsonInteger(), "Flights with an emergency.")
    max_distance_nm = node(Nullable(JsonNumber()), "Farthest from the station.")
    max_altitude_ft = node(Nullable(JsonInteger()), "Highest.")
    max_speed_kt = node(Nullable(JsonNumber()), "Fastest over ground.")
    change = Change()
    days = colander.SchemaNode(JsonList(), Day(name="day"))
    top_types = colander.SchemaNode(JsonList(), TypeCount(name="type"))
    top_operators = colander.SchemaNode(JsonList(), OperatorCount(name="operator"))
    top_aircraft = colander.SchemaNode(JsonList(), AircraftCount(name="aircraft"))


class HeatmapQuery(SpanQuery):
    cell_deg = node(QueryNumber(), "Size of a cell (degrees).", missing=0.1, validator=colander.Range(0.01, 10))
    bbox = optional(QueryBox(), "west,south,east,north.")
    min_altitude_ft = optional(QueryNumber(), "At or above this altitude only.")
    max_altitude_ft = optional(QueryNumber(), "At or below this altitude only.")


class Cell(Schema):
    lat = node(JsonNumber(), "Centre of the cell.")
    lon = node(JsonNumber(), "Centre of the cell.")
    aircraft_s = node(JsonNumber(), "Time that aircraft spent in it, added up (s).")


class Heatmap(Schema):
    """Where aircraft were; the busiest cells first."""

    begin = node(Timestamp(), "Begin of the span.", name="from")
    end = node(Timestamp(), "End of the span.", name="to")
    cell_deg = node(JsonNumber(), "Size of a cell (degrees).")
    count = node(JsonInteger(), "Cells that are not empty.")
    truncated = node(JsonBoolean(), "Only the busiest cells are listed.")
    cells = colander.SchemaNode(JsonList(), Cell(name="cell"))


class Band(Schema):
    min_altitude_ft = node(JsonInteger(), "From this altitude.")
    max_altitude_ft = node(Nullable(JsonInteger()), "Up to this altitude.")
    max_distance_nm = node(Nullable(JsonNumber()), "Farthest position.")
    points = node(JsonInteger(), "Track points.")


class Sector(Schema):
    bearing_from = node(JsonInteger(), "From this bearing.")
    bearing_to = node(JsonInteger(), "Up to this bearing.")
    max_distance_nm = node(Nullable(JsonNumber()), "Farthest position at any altitude.")
    bands = colander.SchemaNode(JsonList(), Band(name="band"))


class Station(Schema):
    lat = node(JsonNumber(), "Latitude.")
    lon = node(JsonNumber(), "Longitude.")


class Coverage(Schema):
    """How far was heard, by bearing and altitude."""

    begin = node(Timestamp(), "Begin of the span.", name="from")
    end = node(Timestamp(), "End of the span.", name="to")
    station = Station()
    sectors = colander.SchemaNode(JsonList(), Sector(name="sector"))
